// The parts of a row that need no machine: the classic table's columns, and minima over rounds.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "instructions/classic.h"
#include "instructions/minima.h"

namespace cyclescope::instructions {
namespace {

measure::TickClock GigahertzClock() {
  measure::TickClock clock;
  clock.hz = 1e9;
  return clock;
}

TEST(MakeClassicRow, DerivesEveryColumn) {
  const measure::Totals totals = {.units = 1000, .cycles = 2000, .ticks = 800};
  const ClassicRow row = MakeClassicRow("LAT", totals, GigahertzClock()).value();
  EXPECT_EQ(row.test, "LAT");
  EXPECT_DOUBLE_EQ(row.cycles_per_instruction, 2);
  EXPECT_DOUBLE_EQ(row.instructions_per_cycle, 0.5);
  EXPECT_DOUBLE_EQ(row.instructions, 1000);
  EXPECT_DOUBLE_EQ(row.seconds, 800e-9);
  EXPECT_DOUBLE_EQ(row.boost, 2.5);
  EXPECT_DOUBLE_EQ(row.base_ghz, 1);
  EXPECT_DOUBLE_EQ(row.core_ghz, 2.5);
  EXPECT_FALSE(row.reference_cycles.has_value());
}

TEST(MakeClassicRow, TakesCountedInstructionsWhereThereAreAny) {
  const measure::Totals totals = {
      .units = 1000, .cycles = 1000, .ticks = 500, .instructions = 1010};
  EXPECT_DOUBLE_EQ(MakeClassicRow("THR", totals, GigahertzClock())->instructions, 1010);
}

TEST(MakeClassicRow, NothingKeptIsNoRow) {
  EXPECT_FALSE(MakeClassicRow("THR", {}, GigahertzClock()).has_value());
}

Estimate MadeEstimate(double value, double half_width) {
  return {.value = value,
          .low = value - half_width,
          .high = value + half_width,
          .kept = 9,
          .visits = 3};
}

InstructionRow RowOf(double throughput, double latency) {
  InstructionRow row;
  row.throughput.emplace();
  row.throughput->cycles = MadeEstimate(throughput, 0.01);
  row.latency.push_back({.from = "x1", .to = "x0"});
  row.latency[0].cycles = MadeEstimate(latency, 0.01);
  return row;
}

TEST(KeepMinima, TakesTheLowerOfEachValueWhereIntervalsAreApart) {
  const auto lower = KeepMinima({RowOf(0.5, 2.0)}, {RowOf(0.6, 1.9)});
  ASSERT_EQ(lower.size(), 1u);
  EXPECT_EQ(lower[0].throughput->cycles.value, 0.5);
  EXPECT_EQ(lower[0].latency[0].cycles.value, 1.9);
}

TEST(KeepMinima, RoundsThatAgreeAreOneWithAllTheirVisits) {
  const Estimate pooled = KeepMinima({RowOf(0.5, 2.004)}, {RowOf(0.5, 1.996)})[0].latency[0].cycles;
  EXPECT_DOUBLE_EQ(pooled.value, 2);
  EXPECT_DOUBLE_EQ(pooled.low, 1.99);
  EXPECT_DOUBLE_EQ(pooled.high, 2.01);
  EXPECT_EQ(pooled.visits, 6);
  EXPECT_EQ(pooled.kept, 18);
}

TEST(KeepMinima, AMuchMorePreciseRoundIsTaken) {
  InstructionRow vague = RowOf(0.5, 2);
  vague.latency[0].cycles = MadeEstimate(2.3, 0.5);
  for (const auto& kept :
       {KeepMinima({vague}, {RowOf(0.5, 2)}), KeepMinima({RowOf(0.5, 2)}, {vague})})
    EXPECT_EQ(kept[0].latency[0].cycles.value, 2);
}

TEST(KeepMinima, ARoundThatFailedChangesNothing) {
  InstructionRow failed;
  failed.status = Status::kTimeout;
  EXPECT_EQ(KeepMinima({RowOf(0.5, 2.0)}, {failed})[0].throughput->cycles.value, 0.5);
}

TEST(KeepMinima, ADisturbedOrContendedValueIsNoMinimum) {
  InstructionRow disturbed = RowOf(0.4, 1.5);
  disturbed.status = Status::kDisturbed;
  disturbed.reason = "too few samples";
  disturbed.latency[0].cycles.disturbed = true;
  const auto lower = KeepMinima({disturbed}, {RowOf(0.5, 2.0)});
  EXPECT_EQ(lower[0].status, Status::kMeasured);
  EXPECT_EQ(lower[0].throughput->cycles.value, 0.4);
  EXPECT_EQ(lower[0].latency[0].cycles.value, 2.0);

  InstructionRow contended = RowOf(0.4, 1.5);
  contended.latency[0].cycles.contended = true;
  for (const auto& kept :
       {KeepMinima({contended}, {RowOf(0.5, 2.0)}), KeepMinima({RowOf(0.5, 2.0)}, {contended})}) {
    EXPECT_EQ(kept[0].latency[0].cycles.value, 2.0);
    EXPECT_FALSE(kept[0].latency[0].cycles.contended);
  }
  InstructionRow before = RowOf(0.5, 2.0);
  before.classic = {{.test = "LAT", .cycles_per_instruction = 2}};
  contended.classic = {{.test = "LAT", .cycles_per_instruction = 1.5}};
  EXPECT_EQ(KeepMinima({before}, {contended})[0].classic[0].cycles_per_instruction, 2);
}

TEST(KeepMinima, ARowWithADisturbedValueIsDisturbed) {
  InstructionRow disturbed = RowOf(0.4, 1.5);
  disturbed.status = Status::kDisturbed;
  disturbed.reason = "too few samples";
  disturbed.latency[0].cycles.disturbed = true;
  InstructionRow now = disturbed;
  now.throughput->cycles = MadeEstimate(0.3, 0.01);
  for (const auto& lower : {KeepMinima({disturbed}, {now}), KeepMinima({now}, {disturbed})}) {
    EXPECT_EQ(lower[0].status, Status::kDisturbed);
    EXPECT_EQ(lower[0].reason, "too few samples");
    EXPECT_EQ(lower[0].throughput->cycles.value, 0.3);
  }
}

TEST(KeepMinima, AThroughputThatARoundDoesNotHaveIsKept) {
  InstructionRow now = RowOf(0, 1.9);
  now.throughput.reset();
  EXPECT_EQ(KeepMinima({RowOf(0.5, 2.0)}, {now})[0].throughput->cycles.value, 0.5);
}

// Rounds as a real machine has them: the value errs to both sides, the interval's width varies with
// the luck of few visits, and some rounds are slow without knowing it.
TEST(KeepMinima, DoesNotDriftBelowTheTruth) {
  constexpr double kTruth = 3;
  constexpr double kDeviation = 0.01;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise;
    const auto round = [&] {
      InstructionRow row = RowOf(1, kTruth);
      const bool slow = random() % 10 == 0;
      const double half_width = kDeviation * (1.2 + 1.5 * std::abs(noise(random)));
      row.latency[0].cycles =
          MadeEstimate(kTruth + kDeviation * noise(random) + (slow ? 0.3 : 0), half_width);
      return row;
    };
    std::vector<InstructionRow> kept = {round()};
    for (int i = 1; i < 1000; ++i) kept = KeepMinima(kept, {round()});
    const Estimate& cycles = kept[0].latency[0].cycles;
    EXPECT_LE(cycles.low, kTruth) << seed;
    EXPECT_GE(cycles.high, kTruth) << seed;
    EXPECT_NEAR(cycles.value, kTruth, kDeviation) << seed;
  }
}

}  // namespace
}  // namespace cyclescope::instructions
