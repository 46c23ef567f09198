#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "statistics/sample_groups.h"

namespace cyclescope::statistics {
namespace {

// Large footprints have three visits, quick ones four: their range would hold the truth in 75 % and
// 87 % of all cases.
TEST(ValueOf, AFewSamplesCoverTheTruthAsOftenAsManyDo) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> sample(100, 5);
  for (const int samples : {2, 3, 4, 5, 6, 12}) {
    constexpr int kRuns = 4000;
    int covered = 0;
    for (int run = 0; run < kRuns; ++run) {
      std::vector<double> values(static_cast<std::size_t>(samples));
      for (double& value : values) value = sample(random);
      const MemoryValue value = ValueOf(values, 0.95);
      covered += value.low <= 100 && 100 <= value.high ? 1 : 0;
    }
    EXPECT_GE(covered, 0.935 * kRuns) << samples;
    EXPECT_LE(covered, 0.985 * kRuns) << samples;
  }
}

TEST(ValueOf, OneSampleIsUncertainByWhatNoRepetitionShows) {
  const MemoryValue value = ValueOf({200}, 0.95, 0.03);
  EXPECT_DOUBLE_EQ(value.low, 200 - 6.5);
  EXPECT_DOUBLE_EQ(value.high, 200 + 6.5);
}

TEST(ErrorOf, IsTheStandardErrorOfFewAndMany) {
  EXPECT_NEAR(ErrorOf(ValueOf({90, 100, 110}, 0.95), 3), 10 / std::sqrt(3), 0.01);
  EXPECT_DOUBLE_EQ(ErrorOf({100, 98, 150}, 12), 1) << "one side met something else";
  EXPECT_DOUBLE_EQ(ErrorOf({100, 100, 100}, 3), 0.125);
}

}  // namespace
}  // namespace cyclescope::statistics
