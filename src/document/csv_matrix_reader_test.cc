#include "document/csv_matrix_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "document/json_reader.h"
#include "report/cores_csv.h"

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
  EXPECT_THAT(ErrorOf(",\n1e999,"), HasSubstr("cell 1 of line 2"));
  EXPECT_THAT(ErrorOf("1,2,3\n4,5,6"), HasSubstr("line 1 has more cells than there are lines (2)"));
  EXPECT_THAT(ErrorOf(",\n,"), HasSubstr("no latency"));
  EXPECT_THAT(ErrorOf("5"), HasSubstr("no latency"));
}

TEST(CsvMatrix, WordsAroundTheNumbersAreSkipped) {
  const Result<Document> document = ParseCsvMatrix(
      "CPU: Some processor, 3 cores\nNum cores: 3\n\n1) CAS latency\n\n,,\n44.1,,\n45.0,43.9,\n\n"
      "    Min  latency: 43.9ns \u00b10.2 cores: (2,1)\n",
      "m.csv");
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(document->cores[0].cpus.size(), 3u);
  EXPECT_EQ(document->cores[0].nanoseconds.At(2, 1), 43.9);
}

TEST(CsvMatrix, UpperTriangleAndNotANumber) {
  const Result<Document> document = ParseCsvMatrix("nan,50,60\n,NaN,70\n,,\n", "m.csv");
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(document->cores[0].nanoseconds.At(2, 1), 70);
  EXPECT_FALSE(document->cores[0].nanoseconds.Has(1, 1));
}

TEST(CsvMatrix, NumbersAlongTheEdges) {
  const Result<Document> document = ParseCsvMatrix(",0,1,2\n0,,5,6\n1,5,,7\n2,6,7,\n", "m.csv");
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_THAT(document->cores[0].cpus, ElementsAre(0, 1, 2));
  EXPECT_EQ(document->cores[0].nanoseconds.At(1, 2), 7);
}

TEST(CsvMatrix, OfSeveralSamplesTheMedian) {
  const Result<Document> document =
      ParseCsvMatrix("0,50\n52,0\n\n0,90\n54,0\n\n0,51\n53,0\n", "m.csv");
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_THAT(document->cores[0].cpus, ElementsAre(0, 1));
  EXPECT_EQ(document->cores[0].nanoseconds.At(0, 1), 51);
  EXPECT_EQ(document->cores[0].nanoseconds.At(1, 0), 53);
}

TEST(CsvMatrix, TextTables) {
  // Without a diagonal, a lower triangle with uncertainties, and a full one.
  for (const char* text : {"Running\n Samples: 5\n\n      0     1     2\n0           10    98\n"
                           "1     9           97\n2     98    98\n\ndone\n",
                           "           0       1       2\n      0\n      1   9\u00b10\n"
                           "      2  98\u00b11   98\u00b11\n\n    Min  latency: 9ns\n",
                           "0 1 2\n0 0 9 98\n1 9 0 98\n2 98 98 0\n"}) {
    const Result<Document> document = ParseDocument(text, "m.txt");
    ASSERT_TRUE(document) << document.error().message;
    const CoreMatrix& cores = document->cores[0];
    EXPECT_THAT(cores.cpus, ElementsAre(0, 1, 2)) << text;
    EXPECT_EQ(cores.nanoseconds.At(1, 0), 9);
    EXPECT_EQ(cores.nanoseconds.At(2, 1), 98);
    EXPECT_EQ(cores.nanoseconds.At(2, 0), 98);
  }
}

TEST(CsvMatrix, WhatWasExportedIsRead) {
  Document document;
  CoreMatrix& cores = document.cores.emplace_back();
  cores.test = "cas";
  cores.cpus = {1, 4, 9};
  cores.nanoseconds = cores.low = cores.high = PairMatrix(3);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (i == j) continue;
      cores.nanoseconds.At(i, j) = 40.0 + static_cast<double>(i * 3 + j);
      cores.low.At(i, j) = 39;
      cores.high.At(i, j) = 50;
    }
  }
  document.cores.push_back(cores);
  document.cores[1].test = "store";
  document.cores[1].cpus = {1, 4, 12};
  for (const auto& render : {CoresCsv, CoresLongCsv}) {
    const auto read = ParseDocument(render(document, CoreUnit::kNanoseconds).value(), "e.csv");
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_EQ(read->cores.size(), 2u);
    EXPECT_EQ(read->cores[1].test, "store");
    EXPECT_THAT(read->cores[0].cpus, ElementsAre(1, 4, 9));
    EXPECT_THAT(read->cores[1].cpus, ElementsAre(1, 4, 12));
    EXPECT_EQ(read->cores[0].nanoseconds.At(2, 1), 47);
    EXPECT_FALSE(read->cores[0].nanoseconds.Has(1, 1));
  }
  const auto with_intervals =
      ParseDocument(CoresLongCsv(document, CoreUnit::kNanoseconds).value(), "e.csv");
  EXPECT_EQ(with_intervals->cores[0].low.At(0, 1), 39);

  document.clock.tick_hz = 2e9;
  EXPECT_THAT(ErrorOf(CoresCsv(document, CoreUnit::kTicks).value()), HasSubstr("it is in ticks"));
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
