#include "report/cores_csv.h"

#include <gtest/gtest.h>

#include <limits>

namespace cyclescope {
namespace {

CoreMatrix Made(std::string test, std::vector<int> cpus) {
  CoreMatrix matrix;
  matrix.test = std::move(test);
  matrix.instruction = "ldxr/stxr";
  matrix.cpus = std::move(cpus);
  const std::size_t size = matrix.cpus.size();
  matrix.nanoseconds = matrix.low = matrix.high = PairMatrix(size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      if (i == j) continue;
      matrix.nanoseconds.At(i, j) = 10 * static_cast<double>(i + 1) + static_cast<double>(j) + 0.25;
      matrix.low.At(i, j) = matrix.nanoseconds.At(i, j) - 1;
      matrix.high.At(i, j) = matrix.nanoseconds.At(i, j) + 1;
    }
  }
  return matrix;
}

TEST(CoresCsv, LabelledMatrix) {
  Document document;
  document.cores = {Made("cas", {0, 2})};
  EXPECT_EQ(*CoresCsv(document, CoreUnit::kNanoseconds),
            "test,unit,from,0,2\n"
            "cas,ns,0,,11.25\n"
            "cas,ns,2,20.25,\n");
}

TEST(CoresCsv, SeveralTestsMakeOneTable) {
  Document document;
  document.cores = {Made("cas", {0, 2}), Made("store", {2, 1})};  // in any order, as files may be
  EXPECT_EQ(*CoresCsv(document, CoreUnit::kNanoseconds),
            "test,unit,from,0,1,2\n"
            "cas,ns,0,,,11.25\n"
            "cas,ns,2,20.25,,\n"
            "store,ns,2,,11.25,\n"
            "store,ns,1,,,20.25\n");
}

TEST(CoresCsv, LongForm) {
  Document document;
  document.cores = {Made("cas", {0, 1, 2})};
  document.cores[0].disturbed = {{0, 1}};
  document.cores[0].timed_out = {{0, 2}};
  document.cores[0].nanoseconds.At(0, 2) = std::numeric_limits<double>::quiet_NaN();
  document.cores[0].nanoseconds.At(2, 0) = std::numeric_limits<double>::quiet_NaN();  // not reached
  EXPECT_EQ(*CoresLongCsv(document, CoreUnit::kNanoseconds),
            "test,instruction,unit,from,to,value,low,high,spread_within,spread_between,"
            "clock_offset,status,visits\n"
            "cas,ldxr/stxr,ns,0,1,11.25,10.25,12.25,,,,disturbed,\n"
            "cas,ldxr/stxr,ns,0,2,,11.25,13.25,,,,timeout,\n"
            "cas,ldxr/stxr,ns,1,0,20.25,19.25,21.25,,,,measured,\n"
            "cas,ldxr/stxr,ns,1,2,22.25,21.25,23.25,,,,measured,\n"
            "cas,ldxr/stxr,ns,2,1,31.25,30.25,32.25,,,,measured,\n");
}

TEST(CoresCsv, LongFormHasTheVisitsOfAFloatingMachine) {
  Document document;
  document.cores = {Made("cas", {0, 1})};
  CoreFloating& floating = document.cores[0].floating.emplace();
  for (const double ns : {8.5, 63.25}) {
    floating.visits.emplace_back(2);
    floating.visits.back().At(0, 1) = ns;
  }
  const std::string text = *CoresLongCsv(document, CoreUnit::kNanoseconds);
  EXPECT_NE(text.find(",measured,8.5 63.25\n"), std::string::npos) << text;
}

TEST(CoresCsv, InTicks) {
  Document document;
  document.clock.tick_hz = 2e9;
  document.cores = {Made("cas", {0, 1})};
  EXPECT_EQ(*CoresCsv(document, CoreUnit::kTicks),
            "test,unit,from,0,1\n"
            "cas,ticks,0,,22.5\n"
            "cas,ticks,1,40.5,\n");
}

}  // namespace
}  // namespace cyclescope
