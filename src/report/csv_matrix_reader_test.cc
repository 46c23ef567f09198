#include "report/csv_matrix_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "report/json_reader.h"

namespace cyclescope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string ErrorOf(std::string_view text) {
  const Result<Document> document = ParseCsvMatrix(text, "m.csv");
  return document ? "no error" : document.error().message;
}

TEST(CsvMatrix, LowerTriangleStandsForBothDirections) {
  const Result<Document> document = ParseCsvMatrix(",,\n44.1,,\n45.0,43.9,\n", "m.csv");
  ASSERT_TRUE(document) << document.error().message;
  ASSERT_EQ(document->cores.size(), 1U);
  const CoreMatrix& cores = document->cores[0];
  EXPECT_THAT(cores.cpus, ElementsAre(0, 1, 2));
  EXPECT_EQ(cores.nanoseconds.At(1, 0), 44.1);
  EXPECT_EQ(cores.nanoseconds.At(0, 1), 44.1);
  EXPECT_EQ(cores.nanoseconds.At(1, 2), 43.9);
  EXPECT_FALSE(cores.nanoseconds.Has(0, 0));
  EXPECT_EQ(cores.low.size(), 0U);  // its uncertainty is not known, and none is made up
  EXPECT_EQ(document->warnings.at(0).code, "bare-matrix");
}

TEST(CsvMatrix, FullMatrixKeepsItsDirections) {
  const Result<Document> document = ParseCsvMatrix("0,50\r\n60, \r\n", "m.csv");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->cores[0].nanoseconds.At(0, 1), 50);
  EXPECT_EQ(document->cores[0].nanoseconds.At(1, 0), 60);
  EXPECT_FALSE(document->cores[0].nanoseconds.Has(1, 1));
}

TEST(CsvMatrix, ShortLinesAreAsGoodAsEmptyCells) {
  const Result<Document> document = ParseCsvMatrix("\n44\n45,46", "m.csv");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->cores[0].nanoseconds.At(2, 1), 46);
}

TEST(CsvMatrix, ErrorsNameThePlace) {
  EXPECT_THAT(ErrorOf("a,b\n1,2"), HasSubstr("cell 1 of line 1 is not a number"));
  EXPECT_THAT(ErrorOf(",\n-3,"), HasSubstr("cell 1 of line 2"));
  EXPECT_THAT(ErrorOf(",\nnan,"), HasSubstr("cell 1 of line 2"));
  EXPECT_THAT(ErrorOf(",\n1e999,"), HasSubstr("cell 1 of line 2"));
  EXPECT_THAT(ErrorOf("1,2,3\n4,5,6"), HasSubstr("line 1 has more cells than there are lines (2)"));
  EXPECT_THAT(ErrorOf(",\n,"), HasSubstr("no latency"));
  EXPECT_THAT(ErrorOf("5"), HasSubstr("no latency"));
}

TEST(CsvMatrix, ManyLinesAreRefusedBeforeTheyAskForTheirSquare) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "1\n";
  EXPECT_THAT(ErrorOf(text), HasSubstr("1000000 lines"));
}

TEST(CsvMatrix, IsKnownByItsText) {
  EXPECT_TRUE(ParseDocument(",\n44,\n", "m.txt"));
  EXPECT_TRUE(ParseDocument("\n44\n", "m.json"));
}

}  // namespace
}  // namespace cyclescope
