#include "statistics/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace cyclescope::statistics {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Median, OfOddAndEvenCounts) {
  EXPECT_EQ(Median(std::vector{3.0, 1.0, 2.0}), 2.0);
  EXPECT_EQ(Median(std::vector{4.0, 1.0, 2.0, 3.0}), 2.5);
  EXPECT_EQ(Median(std::vector{7.0}), 7.0);
}

TEST(MedianDeviation, IsNotMovedByAnOutlier) {
  EXPECT_EQ(MedianDeviation(std::vector{4.0, 1.0, 2.0, 3.0, 1000.0}), 1.0);
  EXPECT_EQ(MedianDeviation(std::vector{7.0}), 0.0);
}

TEST(Quantile, IsLinearBetweenValues) {
  const std::vector values = {10.0, 20.0, 30.0};
  EXPECT_EQ(Quantile(values, 0), 10.0);
  EXPECT_EQ(Quantile(values, 0.25), 15.0);
  EXPECT_EQ(Quantile(values, 1), 30.0);
}

TEST(Mean, OfAFew) { EXPECT_EQ(Mean(std::vector{1.0, 2.0, 6.0}), 3.0); }

// Ranks from any table of the sign test: 95 % takes [1, 6] of 6 values, [2, 8] of 9, [4, 12] of 15.
TEST(MedianInterval, HasTheRanksOfTheSignTest) {
  const auto ranks = [](int count) {
    std::vector<double> values;
    for (int i = 1; i <= count; ++i) values.push_back(i);
    const Interval interval = MedianInterval(values, 0.95);
    return std::vector{interval.low, interval.high};
  };
  EXPECT_THAT(ranks(1), ElementsAre(1, 1));
  EXPECT_THAT(ranks(5), ElementsAre(1, 5));
  EXPECT_THAT(ranks(6), ElementsAre(1, 6));
  EXPECT_THAT(ranks(9), ElementsAre(2, 8));
  EXPECT_THAT(ranks(15), ElementsAre(4, 12));
  EXPECT_THAT(ranks(100), ElementsAre(40, 61));
}

TEST(MedianInterval, CoversTheMedianOfASkewedDistribution) {
  std::mt19937_64 random(1);
  std::exponential_distribution<double> noise(1);
  const double true_median = std::log(2);
  int covered = 0;
  constexpr int kRuns = 2000;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> values;
    for (int i = 0; i < 15; ++i) values.push_back(noise(random));
    const Interval interval = MedianInterval(values, 0.95);
    covered += interval.low <= true_median && true_median <= interval.high ? 1 : 0;
  }
  EXPECT_GE(covered, kRuns * 0.95);
  EXPECT_LE(covered,
            kRuns * 0.985);  // 96.5 % is what the ranks promise: not far wider than asked for
}

TEST(SplitModes, FindsTwoGroups) {
  const auto [lower, upper] = SplitModes(std::vector{2.00, 3.01, 2.01, 3.00, 2.00, 3.02, 2.01});
  EXPECT_THAT(lower, ElementsAre(2.00, 2.00, 2.01, 2.01));
  EXPECT_THAT(upper, ElementsAre(3.00, 3.01, 3.02));
}

TEST(SplitModes, AnOutlierIsNoMode) {
  const auto [lower, upper] =
      SplitModes(std::vector{2.0, 2.01, 2.0, 2.01, 2.0, 2.0, 2.01, 2.0, 90.0});
  EXPECT_EQ(lower.size(), 9u);
  EXPECT_THAT(upper, IsEmpty());
}

TEST(SplitModes, AnEvenSpreadIsOneGroup) {
  std::vector<double> values;
  for (int i = 0; i < 30; ++i) values.push_back(1 + 0.01 * i);
  EXPECT_THAT(SplitModes(values).second, IsEmpty());
}

TEST(SplitModes, AGapMustBeAsManyTimesAsWideAsItsGroups) {
  const std::vector values{2.0, 2.1, 2.2, 2.4, 2.5, 2.6};
  EXPECT_THAT(SplitModes(values, 1).second, SizeIs(3));
  EXPECT_THAT(SplitModes(values, 3).second, IsEmpty());
}

TEST(SplitModes, ClockNoiseIsOneGroup) {
  EXPECT_THAT(SplitModes(std::vector{1.000, 1.001, 1.000, 1.001, 1.000, 1.001}).second, IsEmpty());
}

TEST(Summarize, OfOneMode) {
  const Estimate estimate = Summarize({1.01, 1.0, 0.99, 1.0, 1.0, 1.0, 5.0, 1.0, 1.0}, 2, 0.95);
  EXPECT_EQ(estimate.value, 1.0);
  EXPECT_EQ(estimate.low, 1.0);
  EXPECT_EQ(estimate.high, 1.01);
  EXPECT_EQ(estimate.kept, 9);
  EXPECT_EQ(estimate.rejected, 2);
  EXPECT_FALSE(estimate.two_modes);
  EXPECT_EQ(estimate.samples.front(), 1.01);
}

TEST(Summarize, OfTwoModesTakesTheLarger) {
  const Estimate estimate = Summarize({2, 3, 3, 2, 3, 3, 2, 3, 3}, 0, 0.95);
  EXPECT_TRUE(estimate.two_modes);
  EXPECT_EQ(estimate.value, 3.0);
  EXPECT_EQ(estimate.low, 3.0);
}

// 0.5 to the power of 1,100 is no double: the ranks must not be computed from it.
TEST(MedianInterval, IsAsWideForThousandsOfValues) {
  std::vector<double> values;
  for (int i = 0; i < 2000; ++i) values.push_back(i);
  const Interval interval = MedianInterval(values, 0.95);
  // 1.96 standard deviations of a binomial with 2,000 tries.
  EXPECT_NEAR(interval.low, 1000 - 44, 2);
  EXPECT_NEAR(interval.high, 1000 + 44, 2);
}

}  // namespace
}  // namespace cyclescope::statistics
