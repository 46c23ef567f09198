#include "statistics/combine_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "statistics/sample_groups.h"
#include "statistics/statistics.h"

namespace cyclescope::statistics {
namespace {

using ::testing::DoubleNear;
using ::testing::SizeIs;

Estimate Value(double value, double half_width, int visits = 5) {
  Estimate estimate;
  estimate.value = value;
  estimate.low = value - half_width;
  estimate.high = value + half_width;
  estimate.visits = visits;
  estimate.kept = 10 * visits;
  return estimate;
}

Estimate Contended(Estimate estimate) {
  estimate.contended = true;
  return estimate;
}

TEST(CombineRuns, TheNarrowerIntervalHasMoreWeight) {
  const std::array runs = {Value(4.0, 0.02), Value(4.1, 0.2)};
  const Estimate combined = CombineRuns(runs, 0.95);
  EXPECT_THAT(combined.value, DoubleNear(4.0, 0.01));
  EXPECT_LT(combined.high - combined.low, 0.041);
  EXPECT_EQ(combined.visits, 10);
  EXPECT_EQ(combined.kept, 100);
  EXPECT_THAT(combined.states, SizeIs(0));
}

TEST(CombineRuns, RunsThatScatterMoreThanTheirIntervalsWidenIt) {
  // Within 1 %, so that they are one state, but far apart for what each of them claims.
  const std::array narrow = {Value(4.0, 0.012), Value(4.03, 0.012), Value(3.97, 0.012)};
  const std::array agreeing = {Value(4.0, 0.012), Value(4.0, 0.012), Value(4.0, 0.012)};
  const Estimate scattered = CombineRuns(narrow, 0.95);
  const Estimate steady = CombineRuns(agreeing, 0.95);
  EXPECT_THAT(scattered.value, DoubleNear(4.0, 0.001));
  EXPECT_GT(scattered.high - scattered.low, 1.5 * (steady.high - steady.low));
  EXPECT_GE(scattered.low, 3.97 - 0.0121);
}

TEST(CombineRuns, TheSystematicDoubtStays) {
  std::vector<Estimate> runs(50, Value(4.0, 0.02));
  const Estimate combined = CombineRuns(runs, 0.95);
  EXPECT_GE(combined.high - combined.value, 0.99 * kSystematicDoubt * 4.0);
}

TEST(CombineRuns, AQuietRunReplacesContendedOnes) {
  const std::array runs = {Contended(Value(5.5, 0.1)), Value(4.0, 0.3), Contended(Value(3.0, 0.1))};
  const Estimate combined = CombineRuns(runs, 0.95);
  EXPECT_EQ(combined.value, 4.0);
  EXPECT_FALSE(combined.contended);
}

TEST(CombineRuns, OfContendedRunsTheFastestStays) {
  const std::array runs = {Contended(Value(5.5, 0.1)), Contended(Value(4.5, 0.1))};
  EXPECT_EQ(CombineRuns(runs, 0.95).value, 4.5);
  EXPECT_TRUE(CombineRuns(runs, 0.95).contended);
}

TEST(CombineRuns, RunsThatLieApartAreStates) {
  const std::array runs = {Value(14.1, 0.05, 3), Value(12.4, 0.05, 3), Value(14.13, 0.05, 4)};
  const Estimate combined = CombineRuns(runs, 0.95);
  ASSERT_THAT(combined.states, SizeIs(2));
  EXPECT_THAT(combined.states[0].value, DoubleNear(12.4, 1e-9));
  EXPECT_THAT(combined.states[0].share, DoubleNear(0.3, 1e-9));
  EXPECT_THAT(combined.value, DoubleNear(14.12, 0.02));
  EXPECT_TRUE(combined.two_modes);
}

TEST(CombineRuns, StatesOfARunAreKept) {
  Estimate first = Value(14.1, 0.05, 10);
  first.states = {{12.4, 0.3}, {14.1, 0.7}};
  first.two_modes = true;
  const std::array runs = {first, Value(14.1, 0.05, 10)};
  const Estimate combined = CombineRuns(runs, 0.95);
  ASSERT_THAT(combined.states, SizeIs(2));
  EXPECT_THAT(combined.states[0].share, DoubleNear(0.15, 1e-9));
  EXPECT_THAT(combined.value, DoubleNear(14.1, 0.001));
}

TEST(CombineRuns, IntervalsThatTouchAreOneState) {
  EXPECT_TRUE(MayBeOneState(Value(4.0, 0.1), Value(4.19, 0.1)));
  EXPECT_FALSE(MayBeOneState(Value(4.0, 0.09), Value(4.2, 0.09)));
  EXPECT_TRUE(MayBeOneState(Value(4.0, 0.001), Value(4.03, 0.001)));
}

TEST(CombineRuns, OneRunIsItself) {
  const std::array runs = {Value(4.0, 0.02)};
  EXPECT_EQ(CombineRuns(runs, 0.95).value, 4.0);
  EXPECT_EQ(CombineRuns(runs, 0.95).low, 3.98);
}

// A document may be edited, or damaged.
TEST(CombineRuns, WhateverRunsSayOfTheirVisitsTheValueIsOneOfTheirs) {
  constexpr int kLargestCount = std::numeric_limits<int>::max();
  for (const int visits : {0, -1, -kLargestCount, kLargestCount}) {
    std::vector<Estimate> runs = {Value(4.0, 0.02, visits), Value(5.0, 0.02, visits)};
    for (Estimate& run : runs) run.kept = run.rejected = visits;
    runs[0].states = {{4.0, 0}, {6.0, -1e300}};
    const Estimate combined = CombineRuns(runs, 0.95);
    EXPECT_GE(combined.value, 3.98) << visits;
    EXPECT_LE(combined.value, 6.02) << visits;
    EXPECT_GE(combined.kept, 0);
    EXPECT_GE(combined.visits, 0);
    ASSERT_FALSE(combined.states.empty());
    for (const ValueState& state : combined.states) {
      EXPECT_TRUE(std::isfinite(state.value)) << visits;
      EXPECT_TRUE(state.share >= 0 && state.share <= 1) << state.share;
    }
  }
}

// Values of 3 runs, each of which may be off by a share of its own besides its noise, which its
// interval does not know of: the interval of all three covers the truth more often than one's.
TEST(CombineRunsBulk, TheIntervalCoversTheTruth) {
  std::mt19937 generator(43);
  for (const double between : {0.0, 0.005}) {
    int covered = 0;
    int covered_by_one = 0;
    constexpr int kMachines = 2000;
    for (int machine = 0; machine < kMachines; ++machine) {
      std::vector<Estimate> runs;
      for (int run = 0; run < 3; ++run) {
        std::normal_distribution<double> of_run(0, 1);
        std::normal_distribution<double> of_sample(4.0 + 4.0 * between * of_run(generator), 0.02);
        constexpr int kVisits = 6;
        std::vector<double> visits(kVisits);
        for (double& visit : visits) visit = of_sample(generator);
        const Trimmed mean = TrimmedOf(visits, 0);
        runs.push_back(
            Value(mean.mean,
                  StudentQuantile(0.975, mean.degrees) * mean.error + kSystematicDoubt * mean.mean,
                  kVisits));
      }
      const Estimate combined = CombineRuns(runs, 0.95);
      covered_by_one += runs[0].low <= 4.0 && 4.0 <= runs[0].high ? 1 : 0;
      covered += combined.low <= 4.0 && 4.0 <= combined.high ? 1 : 0;
    }
    EXPECT_GE(covered, kMachines * (between > 0 ? 90 : 95) / 100) << between;
    if (between > 0) {
      EXPECT_GT(covered, covered_by_one);
    }
  }
}

}  // namespace
}  // namespace cyclescope::statistics
