#include "pairs/pair_statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace cyclescope::pairs {
namespace {

statistics::Interval IntervalOf(std::vector<double> values, double share) {
  const statistics::Trimmed trimmed = TrimmedMeanOf(std::move(values), share);
  const double half_width = HalfWidths(trimmed.degrees) * trimmed.error;
  return {trimmed.mean - half_width, trimmed.mean + half_width};
}

TEST(TrimmedMeanOf, KnownAnswer) {
  // Ten values, one cut from each end: the mean of 2..9 is 5.5. Winsorized: 2, 2, 3, ..., 9, 9,
  // with a standard deviation of 2.7183; the standard error is that over 0.8 and the root of 10,
  // and Student's quantile for 7 degrees is 2.365.
  const auto interval = IntervalOf({1, 2, 3, 4, 5, 6, 7, 8, 9, 100}, 0.1);
  EXPECT_NEAR((interval.low + interval.high) / 2, 5.5, 1e-9);
  EXPECT_NEAR(interval.high - interval.low, 2 * 2.365 * 2.7183 / 0.8 / std::sqrt(10), 0.01);
}

// Lines as they are on a mesh: eight home slices, 30 to 52 ns, and now and then a disturbed line.
// The interval of one draw must hold the truth as often as it says.
TEST(TrimmedMeanOf, CoversTheTruthOfLinesInModes) {
  std::mt19937_64 random(7);
  std::uniform_int_distribution<int> slice(0, 7);
  std::normal_distribution<double> noise(0, 0.3);
  const double truth = 30 + 3.2 * 3.5;
  for (const int lines : {64, 512}) {
    int covered = 0;
    constexpr int kRuns = 1000;
    for (int run = 0; run < kRuns; ++run) {
      std::vector<double> values(lines);
      for (double& value : values) value = 30 + 3.2 * slice(random) + noise(random);
      const auto interval = IntervalOf(values, kTrimmedShare);
      if (interval.low <= truth && truth <= interval.high) ++covered;
    }
    EXPECT_GE(covered, 930) << lines;
    EXPECT_LE(covered, 975) << lines << ": wider than it needs to be";
  }
}

LineDraw Draw(int batches, std::vector<double> batch_ns) {
  LineDraw draw;
  draw.batches = batches;
  draw.switched.assign(batch_ns.size() / batches, 0);
  draw.batch_ns = std::move(batch_ns);
  return draw;
}

TEST(PairStatistics, DropsAndCountsDisturbedBatches) {
  PairStatistics statistics;
  statistics.Add(Draw(3, {50, 51, 500, 60, 61, 62}));
  EXPECT_EQ(statistics.lines(), 2);
  EXPECT_EQ(statistics.batches_kept(), 5);
  EXPECT_EQ(statistics.batches_rejected(), 1);
  const PairEstimate estimate = statistics.Estimate(2);
  EXPECT_NEAR(estimate.ns, (50.5 + 61) / 2, 1e-9);
  EXPECT_FALSE(estimate.disturbed);
}

// A coarse clock can say 0, and clocks that differ less than that.
TEST(PairStatistics, TimesOfZeroAndBelowAreKept) {
  PairStatistics statistics;
  statistics.Add(Draw(3, {-8, -7, -7, 0, 0, 0}));
  EXPECT_EQ(statistics.lines(), 2);
  EXPECT_EQ(statistics.batches_kept(), 6);
  EXPECT_NEAR(statistics.Estimate(2).ns, -3.5, 1e-9);
}

TEST(PairStatistics, DropsLinesWithAContextSwitch) {
  PairStatistics statistics;
  LineDraw draw = Draw(2, {50, 50, 90, 90, 52, 52});
  draw.switched[1] = 1;
  statistics.Add(draw);
  EXPECT_EQ(statistics.lines(), 2);
  EXPECT_EQ(statistics.batches_rejected(), 2);
  EXPECT_NEAR(statistics.Estimate(2).ns, 51, 1e-9);
}

TEST(PairStatistics, TooFewSurvivorsAreDisturbed) {
  PairStatistics statistics;
  statistics.Add(Draw(1, {50, 51, 52, 53}));
  EXPECT_FALSE(statistics.Estimate(8).disturbed);
  EXPECT_TRUE(statistics.Estimate(9).disturbed);
}

TEST(PairStatistics, MostlyRejectedIsDisturbed) {
  PairStatistics statistics;
  LineDraw draw = Draw(1, {50, 51, 52, 53, 54, 55, 56});
  draw.switched = {0, 0, 0, 1, 1, 1, 1};
  statistics.Add(draw);
  EXPECT_TRUE(statistics.Estimate(3).disturbed);
}

TEST(PairStatistics, SpreadsWithinAndBetweenLines) {
  PairStatistics statistics;
  statistics.Add(Draw(2, {40, 41, 50, 51, 60, 61, 70, 71, 80, 81}));
  const PairEstimate estimate = statistics.Estimate(5);
  EXPECT_DOUBLE_EQ(estimate.spread_within, 1);
  EXPECT_DOUBLE_EQ(estimate.spread_between, 20);
}

TEST(PairStatistics, ClockOffsetOnlyWhereTheTestCanTell) {
  PairStatistics statistics;
  statistics.Add(Draw(1, {50, 51}));
  EXPECT_TRUE(std::isnan(statistics.Estimate(2).offset_ns));

  statistics.Clear();
  LineDraw draw = Draw(1, {50, 51, 52});
  draw.offset_ns = {-7, -6, -5};
  statistics.Add(draw);
  EXPECT_DOUBLE_EQ(statistics.Estimate(3).offset_ns, -6);
}

TEST(PairStatistics, ClearForgetsEverything) {
  PairStatistics statistics;
  statistics.Add(Draw(1, {50, 51}));
  statistics.Clear();
  EXPECT_EQ(statistics.lines(), 0);
  EXPECT_EQ(statistics.batches_kept(), 0);
}

}  // namespace
}  // namespace cyclescope::pairs
