#include "cores/matrix_experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cores/testing/simulated_line_source.h"

namespace cyclescope::cores {
namespace {

using testing::EightChiplets;
using testing::FlatMachine;
using ::testing::IsEmpty;
using testing::SimulatedLineSource;
using testing::SimulatedMachine;
using ::testing::SizeIs;
using testing::TwoSocketServer;

bool GoOn(const CoreMatrix& /*so_far*/, Progress /*progress*/) { return true; }

CoreMatrix Measure(SimulatedLineSource& source, const SimulatedMachine& machine,
                   const MatrixPlan& plan) {
  auto measured = MeasureMatrix(source, machine.Cpus(), plan, GoOn);
  EXPECT_TRUE(measured.has_value());
  return std::move(measured->matrix);
}

TEST(MatrixExperiment, FindsEveryPairsLatency) {
  const SimulatedMachine machine = TwoSocketServer();
  for (const bool parallel : {false, true}) {
    SimulatedLineSource source(machine, {});
    MatrixPlan plan;
    plan.parallel = parallel;
    const CoreMatrix matrix = Measure(source, machine, plan);
    for (std::size_t i = 0; i < matrix.cpus.size(); ++i) {
      for (std::size_t j = 0; j < matrix.cpus.size(); ++j) {
        if (i == j) {
          EXPECT_FALSE(matrix.nanoseconds.Has(i, j));
          continue;
        }
        const double truth = machine.nanoseconds(matrix.cpus[i], matrix.cpus[j]);
        EXPECT_NEAR(matrix.nanoseconds.At(i, j), truth, 0.03 * truth);
        EXPECT_LT(matrix.low.At(i, j), matrix.nanoseconds.At(i, j));
        EXPECT_LT(matrix.high.At(i, j) - matrix.low.At(i, j), 0.08 * truth);
      }
    }
    EXPECT_FALSE(matrix.partial);
    EXPECT_EQ(matrix.rounds, kDefaultRounds);
    EXPECT_EQ(matrix.stability, Stability::kStable);
  }
}

// A run in a quiet hour and another: the interval of each must hold the truth as often as it says.
TEST(MatrixExperiment, IntervalsFromBetweenVisitsHoldTheTruth) {
  const SimulatedMachine machine = FlatMachine(16);
  SimulatedLineSource source(machine, {.line_spread = 0.2, .visit_spread = 0.03}, 7);
  const CoreMatrix matrix = Measure(source, machine, {});
  int held = 0;
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t j = 0; j < 16; ++j) {
      held += i != j && matrix.low.At(i, j) <= 100 && matrix.high.At(i, j) >= 100 ? 1 : 0;
    }
  }
  EXPECT_GE(held, 240 * 0.91);
  EXPECT_LE(held, 240 * 0.99) << "wider than they need to be";
}

TEST(MatrixExperiment, EveryVisitHasBothDirectionsAndEitherBegins) {
  SimulatedLineSource source(FlatMachine(6), {});
  Measure(source, FlatMachine(6), {});
  const std::vector<pairs::CpuPair>& drawn = source.drawn();
  ASSERT_EQ(drawn.size(), 15u * 2 * kDefaultRounds);
  int first_begins = 0;
  for (std::size_t i = 0; i < drawn.size(); i += 2) {
    EXPECT_EQ(drawn[i + 1], (pairs::CpuPair{drawn[i].second, drawn[i].first}));
    first_begins += drawn[i].first < drawn[i].second ? 1 : 0;
  }
  EXPECT_GT(first_begins, 30);
  EXPECT_LT(first_begins, 90);
}

TEST(MatrixExperiment, RoundsAndDuration) {
  SimulatedLineSource source(FlatMachine(4), {});
  EXPECT_EQ(Measure(source, FlatMachine(4), {.rounds = 3}).rounds, 3);
  EXPECT_EQ(Measure(source, FlatMachine(4), {.rounds = 1}).rounds, 1);
  const std::int64_t begin = source.Now();
  const CoreMatrix matrix = Measure(source, FlatMachine(4), {.duration_ns = 500'000'000});
  EXPECT_GT(matrix.rounds, 20);
  EXPECT_NEAR(static_cast<double>(source.Now() - begin), 500e6, 50e6);
}

// Two directions with 100 ms each are 0.2 s. A run that watches whether CPUs move goes on to the
// end.
TEST(MatrixExperiment, ADurationIsFilledWithVisits) {
  SimulatedLineSource source(FlatMachine(2), {});
  auto measured = MeasureMatrix(source, FlatMachine(2).Cpus(), {.duration_ns = 600'000'000}, GoOn);
  ASSERT_TRUE(measured);
  EXPECT_GT(source.Now(), 600'000'000);
  EXPECT_EQ(measured->visits.rounds(), static_cast<std::size_t>(measured->matrix.rounds));
  for (std::size_t round = 0; round < measured->visits.rounds(); ++round) {
    EXPECT_TRUE(std::as_const(measured->visits).At(round, 0, 1).IsThere()) << round;
  }
}

// A budget that the planned rounds use up, as a quick survey's of many CPUs.
TEST(MatrixExperiment, WatchingGoesOnWhenTheBudgetIsSpent) {
  SimulatedLineSource source(FlatMachine(4), {.line_spread = 0.5});
  MatrixPlan plan;
  plan.precision = 1e-9;
  plan.budget_ns = 3'000'000;
  plan.watch_ns = 1'000'000'000;
  auto measured = MeasureMatrix(source, FlatMachine(4).Cpus(), plan, GoOn);
  ASSERT_TRUE(measured);
  EXPECT_GT(source.Now(), plan.watch_ns);
  EXPECT_LT(source.Now(), 2 * plan.watch_ns);
  EXPECT_EQ(measured->visits.rounds(), static_cast<std::size_t>(measured->matrix.rounds));
  EXPECT_FALSE(measured->visits.Of(0, 1).empty());
  EXPECT_GT(measured->matrix.rounds, kDefaultRounds);
}

// The source's clock stands still while nothing is visited, so that this would never end.
TEST(MatrixExperiment, EndsWhenThereIsNothingLeftToVisit) {
  SimulatedLineSource silent(FlatMachine(2), {.silent = [](pairs::CpuPair) { return true; }});
  EXPECT_EQ(Measure(silent, FlatMachine(2), {.duration_ns = 60'000'000'000}).rounds, 1);
  EXPECT_EQ(Measure(silent, FlatMachine(2), {.watch_ns = 60'000'000'000}).rounds, 1);

  SimulatedLineSource source(FlatMachine(2), {});
  MatrixPlan plan;
  plan.precision.reset();
  plan.line = {.lines = 80, .batches = 1};
  plan.duration_ns = 60'000'000'000;
  EXPECT_EQ(Measure(source, FlatMachine(2), plan).batches_kept, 2 * 80);
}

// 16 CPUs at 75 ns and with lines as they differ on a mesh.
TEST(MatrixExperiment, SixteenCpusTakeUnderThreeSeconds) {
  SimulatedMachine machine = FlatMachine(16);
  machine.nanoseconds = [](int, int) { return 75.0; };
  SimulatedLineSource source(machine, {.line_spread = 0.2});
  Measure(source, machine, {});
  EXPECT_LT(source.Now(), 3'000'000'000);
}

TEST(MatrixExperiment, DrawsMoreLinesWhereTheyDifferMore) {
  const auto drawn_with = [](double line_spread, double precision) {
    SimulatedLineSource source(FlatMachine(2), {.line_spread = line_spread});
    MatrixPlan plan;
    plan.precision = precision;
    plan.budget_ns = 0;
    return Measure(source, FlatMachine(2), plan).batches_kept;
  };
  EXPECT_GT(drawn_with(0.3, 0.02), 2 * drawn_with(0.05, 0.02));
  EXPECT_GT(drawn_with(0.3, 0.01), 2 * drawn_with(0.3, 0.02));
}

TEST(MatrixExperiment, PrecisionThatCannotBeReachedEnds) {
  SimulatedLineSource source(FlatMachine(2), {.line_spread = 0.5});
  MatrixPlan plan;
  plan.precision = 1e-9;
  plan.budget_ns = 0;
  const CoreMatrix matrix = Measure(source, FlatMachine(2), plan);
  EXPECT_GT(matrix.high.At(0, 1) - matrix.low.At(0, 1), 0);
}

TEST(MatrixExperiment, TheBudgetEndsIt) {
  SimulatedLineSource source(FlatMachine(2), {.line_spread = 0.5});
  MatrixPlan plan;
  plan.precision = 1e-9;
  plan.budget_ns = 1;  // over before a second line
  const CoreMatrix matrix = Measure(source, FlatMachine(2), plan);
  EXPECT_FALSE(matrix.nanoseconds.Has(0, 1));
  EXPECT_THAT(matrix.timed_out, SizeIs(2)) << "a pair without a value must be marked";
}

TEST(MatrixExperiment, FixedCountsAreExact) {
  SimulatedLineSource source(FlatMachine(2), {});
  MatrixPlan plan;
  plan.precision.reset();
  plan.line = {.lines = 3000, .batches = 2};
  const CoreMatrix matrix = Measure(source, FlatMachine(2), plan);
  EXPECT_EQ(matrix.batches_kept, 2 * 3000 * 2);
  EXPECT_EQ(matrix.rounds, kDefaultRounds);

  plan.line = {.lines = 11, .batches = 1};  // one visit: two would be too short
  EXPECT_EQ(Measure(source, FlatMachine(2), plan).batches_kept, 2 * 11);
}

TEST(MatrixExperiment, DisturbedBatchesAreDroppedAndCounted) {
  SimulatedLineSource source(FlatMachine(2), {.disturbed_share = 0.1});
  const CoreMatrix matrix = Measure(source, FlatMachine(2), {});
  EXPECT_GT(matrix.batches_rejected, 0);
  EXPECT_NEAR(matrix.nanoseconds.At(0, 1), 100, 3);
  EXPECT_THAT(matrix.disturbed, IsEmpty());
}

TEST(MatrixExperiment, APairWithTooFewSurvivorsIsMarked) {
  SimulatedLineSource source(FlatMachine(2), {.switched_share = 0.9});
  const CoreMatrix matrix = Measure(source, FlatMachine(2), {});
  EXPECT_THAT(matrix.disturbed, SizeIs(2));
  EXPECT_TRUE(matrix.nanoseconds.Has(0, 1));
}

TEST(MatrixExperiment, APairThatDoesNotAnswerIsMarkedAndTheRestIsMeasured) {
  SimulatedLineSource source(FlatMachine(4), {.silent = [](pairs::CpuPair pair) {
                               return pair.first == 3 || pair.second == 3;
                             }});
  const CoreMatrix matrix = Measure(source, FlatMachine(4), {});
  EXPECT_THAT(matrix.timed_out, SizeIs(6));
  EXPECT_FALSE(matrix.nanoseconds.Has(0, 3));
  EXPECT_TRUE(matrix.nanoseconds.Has(0, 2));
}

TEST(MatrixExperiment, StopsWhenToldToAndSaysSo) {
  SimulatedLineSource source(FlatMachine(8), {});
  const SimulatedMachine machine = FlatMachine(8);
  auto matrix = MeasureMatrix(source, machine.Cpus(), {}, [](const CoreMatrix&, Progress progress) {
    EXPECT_EQ(progress.total, 28u * kDefaultRounds);
    return progress.done < 10;
  });
  ASSERT_TRUE(matrix.has_value());
  EXPECT_TRUE(matrix->matrix.partial);
  EXPECT_EQ(matrix->matrix.rounds, 0) << "none is complete";
  int measured = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 8; ++j) measured += matrix->matrix.nanoseconds.Has(i, j) ? 1 : 0;
  }
  EXPECT_EQ(measured, 2 * 10);
}

TEST(MatrixExperiment, OrderFollowsTheSeed) {
  const auto order = [](std::uint64_t seed) {
    SimulatedLineSource source(FlatMachine(8), {});
    MatrixPlan plan;
    plan.seed = seed;
    EXPECT_EQ(Measure(source, FlatMachine(8), plan).seed, seed);
    return source.drawn();
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

TEST(MatrixExperiment, DriftIsOfAllPairs) {
  SimulatedLineSource steady(FlatMachine(8), {});
  const CoreMatrix quiet = Measure(steady, FlatMachine(8), {});
  EXPECT_EQ(quiet.canary->checks, kDefaultRounds - 1);
  EXPECT_LT(quiet.canary->most_ns - quiet.canary->least_ns, quiet.canary->expected_ns);
  EXPECT_EQ(quiet.stability, Stability::kStable);

  SimulatedLineSource drifting(FlatMachine(8),
                               {.drift = [](int draws) { return 1 + draws / 3000.0; }});
  EXPECT_EQ(Measure(drifting, FlatMachine(8), {}).stability, Stability::kDrifting);
}

// What is measured at once is compared with what was measured at once.
TEST(MatrixExperiment, SlowerAtOnceIsNoDrift) {
  SimulatedLineSource source(FlatMachine(16), {.at_once_factor = 1.2});
  const CoreMatrix matrix = Measure(source, FlatMachine(16), {.parallel = true});
  EXPECT_EQ(matrix.stability, Stability::kStable);
  EXPECT_LT(matrix.canary->most_ns - matrix.canary->least_ns, matrix.canary->expected_ns);
}

TEST(MatrixExperiment, PairsAtOnceAreComparedWithPairsAlone) {
  SimulatedLineSource source(FlatMachine(16), {.at_once_factor = 1.2});
  MatrixPlan plan;
  plan.parallel = true;
  const ParallelCheck check = Measure(source, FlatMachine(16), plan).parallel.value();
  EXPECT_GE(check.pairs, 20);
  EXPECT_NEAR(check.ratio, 1.2, 0.02);

  SimulatedLineSource alone(FlatMachine(16), {});
  EXPECT_FALSE(Measure(alone, FlatMachine(16), {}).parallel);
}

TEST(MatrixExperiment, ClockOffsetsWhereTheTestCanTell) {
  SimulatedLineSource source(FlatMachine(4), {.clock_offset_ns = 30});
  const CoreMatrix matrix = Measure(source, FlatMachine(4), {});
  EXPECT_DOUBLE_EQ(matrix.clock_offset.At(0, 1), 30);
  EXPECT_DOUBLE_EQ(matrix.clock_offset.At(1, 0), -30);

  SimulatedLineSource without(FlatMachine(4), {});
  EXPECT_EQ(Measure(without, FlatMachine(4), {}).clock_offset.size(), 0u);
}

}  // namespace
}  // namespace cyclescope::cores
