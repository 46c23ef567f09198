#include "measure/tally.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "arch/architecture.h"

namespace cyclescope::measure {
namespace {

// A probe of a quiet core on which each chain but the adds takes `more` cycles than it can at best.
Probe QuietProbe(int more) {
  Probe probe;
  for (std::size_t i = 0; i < kProbeChains; ++i)
    probe.link_ticks[i] = i == 0 ? 1 : arch::ReferenceChains()[i].least_cycles + more;
  probe.wide_ticks = 0.2;
  return probe;
}

class JudgeAgainTest : public ::testing::Test {
 protected:
  void Observe(int probes, int more) {
    for (int i = 0; i < probes; ++i) watch_.Observe(0, QuietProbe(more));
  }
  void Visit(double cycles, CoreState state = CoreState::kQuiet) {
    tally_.Add({.state = state,
                .width = 0.2,
                .cycles = {cycles, cycles, cycles},
                .revision = watch_.revision()},
               {.units = 1, .cycles = cycles, .ticks = cycles});
    Judge({}, tally_);
  }

  Experiment experiment_;
  Tally tally_ = [this] {
    Tally tally;
    tally.experiment = &experiment_;
    return tally;
  }();
  CoreWatch watch_;
};

TEST_F(JudgeAgainTest, WhatStillHoldsStays) {
  Observe(40, 0);
  for (int i = 0; i < 3; ++i) Visit(4);
  EXPECT_TRUE(tally_.done);
  Observe(40, 0);
  JudgeAgain(watch_.quiet_criteria(), {}, tally_);
  EXPECT_TRUE(tally_.done);
  EXPECT_EQ(tally_.ToMeasurement().visits.size(), 3u);
}

// The multiplier turns out to take a cycle more than was thought: a cycle is shorter then, and what
// was told in the old ones is wrong.
TEST_F(JudgeAgainTest, CyclesOfAnotherReferenceAreDropped) {
  Observe(40, 0);
  for (int i = 0; i < 3; ++i) Visit(4);
  Visit(5, CoreState::kContended);
  ASSERT_TRUE(tally_.done);
  Observe(400, 1);
  ASSERT_EQ(watch_.revision(), 1);
  JudgeAgain(watch_.quiet_criteria(), {}, tally_);
  EXPECT_FALSE(tally_.done);
  EXPECT_FALSE(tally_.was_visited());
  EXPECT_TRUE(tally_.ToMeasurement().totals.units == 0);
  for (int i = 0; i < 3; ++i) Visit(3);
  JudgeAgain(watch_.quiet_criteria(), {}, tally_);
  const Measurement measurement = tally_.ToMeasurement();
  EXPECT_EQ(measurement.visits.size(), 3u);
  EXPECT_GT(measurement.totals.units, 0);
  EXPECT_NEAR(EstimateOf(measurement, 0.95).value, 3, 1e-9);
}

// A visit whose ticks another thread took, between probes that it slowed down as much: its cycles
// are right, and how fast the core ran does not follow from it.
TEST_F(JudgeAgainTest, TheRunThatStandsForAValueHasTheUsualClockRate) {
  Observe(40, 0);
  const auto visit = [this](double cycles, double ticks) {
    tally_.Add({.state = CoreState::kQuiet, .width = 0.2, .cycles = {cycles}},
               {.units = 1, .cycles = cycles, .ticks = ticks});
  };
  visit(4, 4);
  visit(4.01, 32);
  visit(4.02, 4.02);
  Totals totals = tally_.ToMeasurement().totals;
  EXPECT_NEAR(totals.cycles / totals.ticks, 1, 0.01);
  EXPECT_FALSE(totals.rates_differ);
  visit(4, 5);
  visit(4, 8);
  totals = tally_.ToMeasurement().totals;
  EXPECT_TRUE(totals.rates_differ) << "two of five are no usual rate";
}

TEST_F(JudgeAgainTest, AReferenceThatNeverSettlesEndsAllTheSame) {
  for (int round = 0; round < 20 && !tally_.done; ++round) {
    Observe(400, round % 2);
    Visit(4);
    JudgeAgain(watch_.quiet_criteria(), {}, tally_);
  }
  EXPECT_TRUE(tally_.done);
}

// The same of what was measured and handed on, as connectors are.
TEST_F(JudgeAgainTest, LookAgainDropsThemToo) {
  Observe(40, 0);
  for (int i = 0; i < 3; ++i) Visit(4);
  Measurement measurement = tally_.ToMeasurement();
  Observe(400, 1);
  LookAgain(watch_.quiet_criteria(), measurement);
  EXPECT_FALSE(measurement.has_value());
}

// What looked quiet before the core was seen alone.
TEST_F(JudgeAgainTest, VisitsThatWereNotQuietAreMoved) {
  Observe(40, 0);
  tally_.Add({.state = CoreState::kQuiet, .width = 0.3, .cycles = {4, 4, 4}}, {.units = 1});
  JudgeAgain(watch_.quiet_criteria(), {}, tally_);
  EXPECT_TRUE(tally_.quiet.visits.empty());
  EXPECT_EQ(tally_.contended.visits.size(), 1u);
}

TEST(Tally, ShortSamplesCountWhereThereAreNoLongOnes) {
  const Experiment experiment;
  Tally tally;
  tally.experiment = &experiment;
  const Visit quiet = {.state = CoreState::kQuiet, .cpu = 0, .width = 0.2, .cycles = {3, 3.2, 3.4}};
  for (int i = 0; i < 8; ++i) tally.Add(quiet, {});
  ASSERT_TRUE(NeedsLongerSamples({}, tally));
  tally.Lengthen();
  Visit shared = quiet;
  shared.state = CoreState::kContended;
  tally.Add(shared, {});
  const Measurement measured = tally.ToMeasurement();
  EXPECT_FALSE(measured.contended);
  EXPECT_EQ(measured.visits.size(), 8u);
  EXPECT_EQ(measured.stretch, 1);
}

// Three quiet visits that differ, and a neighbour ever since.
TEST(Tally, AValueThatANeighbourKeptFromGettingSharpIsContended) {
  const Experiment experiment;
  const auto measure = [&experiment](const std::vector<double>& quiet, bool patience_is_spent) {
    Tally tally;
    tally.experiment = &experiment;
    for (const double cycles : quiet)
      tally.Add({.state = CoreState::kQuiet, .cpu = 0, .width = 0.2, .cycles = {cycles}}, {});
    for (int i = 0; i < 3; ++i)
      tally.Add({.state = CoreState::kContended, .cpu = 0, .width = 0.4, .cycles = {5}}, {});
    Judge({.patience_is_spent = patience_is_spent}, tally);
    return tally.ToMeasurement();
  };
  const Measurement blurred = measure({3, 3.2, 3.4}, true);
  EXPECT_TRUE(blurred.contended);
  EXPECT_EQ(blurred.visits.size(), 3u);  // what was seen beside the neighbour adds nothing
  EXPECT_FALSE(measure({3, 3.2, 3.4}, false).contended);
  EXPECT_FALSE(measure({3, 3, 3}, true).contended);
  // As many visits as anything gets: it is the code that does not settle.
  EXPECT_FALSE(measure({3, 3.2, 3.4, 3, 3.2, 3.4, 3, 3.2, 3.4, 3, 3.2, 3.4}, true).contended);
}

TEST(Tally, WhereNeighboursSpoilVisitsAWiderIntervalIsEnough) {
  const Experiment experiment;
  const auto is_done = [&experiment](int spoiled_visits) {
    Tally tally;
    tally.experiment = &experiment;
    tally.spoiled_visits = spoiled_visits;
    for (const double cycles : {3.45, 3.46, 3.455})
      tally.Add({.state = CoreState::kQuiet, .cpu = 0, .width = 0.2, .cycles = {cycles}}, {});
    Judge({}, tally);
    return tally.done;
  };
  EXPECT_FALSE(is_done(0));
  EXPECT_TRUE(is_done(3));
}

// A neighbour that is there whenever the experiment is visited does not keep it going for ever.
TEST(Tally, SpoiledVisitsEndSomeTime) {
  const Experiment experiment;
  Tally tally;
  tally.experiment = &experiment;
  for (tally.spoiled_visits = 1; tally.spoiled_visits < 1000 && !tally.done; ++tally.spoiled_visits)
    Judge({}, tally);
  EXPECT_TRUE(tally.done);
}

// Visiting ends as soon as the interval is narrow, which it may be by chance. What is added for
// systematic errors makes up for that, whatever the visits differ by.
TEST(Tally, IntervalsCoverThoughTheLookAtThemEndsTheVisits) {
  constexpr double kTruth = 3;
  const Experiment experiment;
  std::mt19937 random(1);
  for (const double deviation : {0.001, 0.003, 0.005, 0.01}) {
    std::normal_distribution<double> noise(0, deviation * kTruth);
    constexpr int kTrials = 1000;
    int covered = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      Tally tally;
      tally.experiment = &experiment;
      while (!tally.done) {
        const double visit = kTruth + noise(random);
        tally.Add({.state = CoreState::kQuiet,
                   .cpu = 0,
                   .width = 0.2,
                   .cycles = {visit + noise(random) / 3, visit + noise(random) / 3}},
                  {});
        Judge({}, tally);
      }
      const Estimate estimate = EstimateOf(tally.ToMeasurement(), 0.95);
      covered += estimate.low <= kTruth && kTruth <= estimate.high ? 1 : 0;
    }
    EXPECT_GE(covered, 0.95 * kTrials) << deviation;
  }
}

TEST(Tally, OneVisitThatWasHitIsNoReasonForLongerSamples) {
  const Experiment experiment;
  const auto needs_longer = [&experiment](std::vector<double> medians) {
    Tally tally;
    tally.experiment = &experiment;
    for (const double cycles : medians)
      tally.Add({.state = CoreState::kQuiet, .cpu = 0, .width = 0.2, .cycles = {cycles}}, {});
    return NeedsLongerSamples({}, tally);
  };
  EXPECT_FALSE(needs_longer({3.01, 3, 4, 3.01}));
  EXPECT_TRUE(needs_longer({3.01, 3.1, 3.05, 3.2}));
  // Nothing helped so far.
  EXPECT_TRUE(needs_longer({3, 3, 3, 4, 3, 3, 3, 3}));
}

TEST(Tally, ShortQuietSamplesTellMoreThanContendedOnes) {
  Experiment experiment;
  experiment.expected = {.low = 2.9, .high = 3.1, .value = 3, .settles = true, .like = "another"};
  Tally tally;
  tally.experiment = &experiment;
  const Visit quiet = {.state = CoreState::kQuiet, .cpu = 0, .width = 0.2, .cycles = {3.3}};
  for (int i = 0; i < 4; ++i) tally.Add(quiet, {});
  tally.Lengthen();
  EXPECT_TRUE(tally.was_quiet());
  tally.Add({.state = CoreState::kContended, .cpu = 0, .width = 0.4, .cycles = {5}}, {});
  EXPECT_EQ(tally.ValueSoFar(), 3.3);
  // The first long one is not the first.
  tally.Add({.state = CoreState::kQuiet, .cpu = 0, .width = 0.2, .cycles = {3}}, {});
  EXPECT_FALSE(tally.Agrees());
  EXPECT_EQ(tally.ValueSoFar(), 3);
}

// As an Emerald Rapids ran 25 copies of three instructions: a loop took 13 to 18 cycles, by how it
// came into the store of decoded instructions, and so did one of 50, independently.
TEST(Tally, KernelsOfSeveralSpeedsCountAsTheyAreWhenFast) {
  constexpr double kCopies = 25;
  constexpr double kTruth = 0.5;
  Experiment experiment;
  experiment.units = kCopies;
  experiment.has_several_speeds = true;
  int near = 0;
  int covered = 0;
  constexpr int kSeeds = 100;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    std::mt19937 random(seed);
    std::discrete_distribution<int> lost({5, 2, 2, 1, 0, 2});
    std::normal_distribution<double> noise(1, 0.002);
    Tally tally;
    tally.experiment = &experiment;
    while (!tally.done) {
      Visit visit{.state = CoreState::kQuiet, .width = 0.2};
      visit.shorter = (kCopies * kTruth + 0.5 + lost(random)) * noise(random);
      visit.longer = (2 * kCopies * kTruth + 0.5 + 2 * lost(random)) * noise(random);
      visit.cycles.assign(3, (visit.longer - visit.shorter) / kCopies);
      tally.Add(std::move(visit), {.units = 1, .cycles = 1, .ticks = 1});
      Judge({.most_visits = 36}, tally);
    }
    EXPECT_TRUE(IsOfFastQuarter(tally.ToMeasurement())) << seed;
    const Estimate estimate = EstimateOf(tally.ToMeasurement(), 0.95);
    // Both speeds are told, with their shares: the fast one is the value.
    ASSERT_EQ(estimate.states.size(), 2u) << seed;
    EXPECT_EQ(estimate.states[0].value, estimate.value);
    EXPECT_GT(estimate.states[1].value, estimate.states[0].value);
    EXPECT_NEAR(estimate.states[0].share + estimate.states[1].share, 1, 1e-9);
    near += std::abs(estimate.value - kTruth) <= 0.02 * kTruth ? 1 : 0;
    covered += estimate.low <= kTruth && estimate.high >= kTruth ? 1 : 0;
  }
  EXPECT_GE(near, 95);
  EXPECT_GE(covered, 90);
}

}  // namespace
}  // namespace cyclescope::measure
