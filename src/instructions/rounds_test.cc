#include "instructions/rounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace cyclescope::instructions {
namespace {

Estimate SimulatedEstimate(double value, double half_width) {
  return {.value = value,
          .low = value - half_width,
          .high = value + half_width,
          .kept = 9,
          .visits = 3};
}

InstructionRow RowOf(double throughput, double latency) {
  InstructionRow row;
  row.throughput.emplace();
  row.throughput->cycles = SimulatedEstimate(throughput, 0.01);
  row.latency.push_back({.from = "x1", .to = "x0"});
  row.latency[0].cycles = SimulatedEstimate(latency, 0.01);
  return row;
}

TEST(MergeRounds, TakesTheLowerOfEachValueWhereIntervalsAreApart) {
  const auto lower = MergeRounds({RowOf(0.5, 2.0)}, {RowOf(0.6, 1.9)});
  ASSERT_EQ(lower.size(), 1u);
  EXPECT_EQ(lower[0].throughput->cycles.value, 0.5);
  EXPECT_EQ(lower[0].latency[0].cycles.value, 1.9);
}

TEST(MergeRounds, RoundsThatAgreeAreOneWithAllTheirVisits) {
  const Estimate pooled =
      MergeRounds({RowOf(0.5, 2.004)}, {RowOf(0.5, 1.996)})[0].latency[0].cycles;
  EXPECT_DOUBLE_EQ(pooled.value, 2);
  EXPECT_DOUBLE_EQ(pooled.low, 1.99);
  EXPECT_DOUBLE_EQ(pooled.high, 2.01);
  EXPECT_EQ(pooled.visits, 6);
  EXPECT_EQ(pooled.kept, 18);
}

TEST(MergeRounds, AMuchMorePreciseRoundIsTaken) {
  InstructionRow vague = RowOf(0.5, 2);
  vague.latency[0].cycles = SimulatedEstimate(2.3, 0.5);
  for (const auto& kept :
       {MergeRounds({vague}, {RowOf(0.5, 2)}), MergeRounds({RowOf(0.5, 2)}, {vague})})
    EXPECT_EQ(kept[0].latency[0].cycles.value, 2);
}

TEST(MergeRounds, ARoundThatFailedChangesNothing) {
  InstructionRow failed;
  failed.status = Status::kTimeout;
  EXPECT_EQ(MergeRounds({RowOf(0.5, 2.0)}, {failed})[0].throughput->cycles.value, 0.5);
}

TEST(MergeRounds, ADisturbedOrContendedValueIsNoMinimum) {
  InstructionRow disturbed = RowOf(0.4, 1.5);
  disturbed.status = Status::kDisturbed;
  disturbed.reason = "too few samples";
  disturbed.latency[0].cycles.disturbed = true;
  const auto lower = MergeRounds({disturbed}, {RowOf(0.5, 2.0)});
  EXPECT_EQ(lower[0].status, Status::kMeasured);
  EXPECT_EQ(lower[0].throughput->cycles.value, 0.4);
  EXPECT_EQ(lower[0].latency[0].cycles.value, 2.0);

  InstructionRow contended = RowOf(0.4, 1.5);
  contended.latency[0].cycles.contended = true;
  for (const auto& kept :
       {MergeRounds({contended}, {RowOf(0.5, 2.0)}), MergeRounds({RowOf(0.5, 2.0)}, {contended})}) {
    EXPECT_EQ(kept[0].latency[0].cycles.value, 2.0);
    EXPECT_FALSE(kept[0].latency[0].cycles.contended);
  }
  InstructionRow before = RowOf(0.5, 2.0);
  before.classic = {{.test = "LAT", .cycles_per_instruction = 2}};
  contended.classic = {{.test = "LAT", .cycles_per_instruction = 1.5}};
  EXPECT_EQ(MergeRounds({before}, {contended})[0].classic[0].cycles_per_instruction, 2);
}

// A second look at a row whose throughput was contended finds a quiet moment: the table's row goes
// with the value that is kept, whichever look it is from.
TEST(MergeRounds, TheClassicTableHasTheValuesOfTheRow) {
  const auto with_table = [](double throughput, double latency, bool contended) {
    InstructionRow row = RowOf(throughput, latency);
    row.throughput->cycles.contended = row.throughput->upper_bound = contended;
    row.classic = {{.test = "THR", .cycles_per_instruction = throughput, .upper_bound = contended},
                   {.test = "LAT", .cycles_per_instruction = latency}};
    return row;
  };
  const InstructionRow quiet = with_table(3751, 5000, false);
  const InstructionRow contended = with_table(4502, 5200, true);
  for (const auto& merged :
       {MergeRows(quiet, contended), MergeRows(contended, quiet), MergeRows(quiet, quiet)}) {
    ASSERT_EQ(merged.classic.size(), 2u);
    EXPECT_EQ(merged.classic[0].cycles_per_instruction, merged.throughput->cycles.value);
    EXPECT_FALSE(merged.classic[0].upper_bound);
    EXPECT_EQ(merged.classic[1].cycles_per_instruction, merged.latency[0].cycles.value);
  }
}

TEST(MergeRounds, ARowWithADisturbedValueIsDisturbed) {
  InstructionRow disturbed = RowOf(0.4, 1.5);
  disturbed.status = Status::kDisturbed;
  disturbed.reason = "too few samples";
  disturbed.latency[0].cycles.disturbed = true;
  InstructionRow now = disturbed;
  now.throughput->cycles = SimulatedEstimate(0.3, 0.01);
  for (const auto& lower : {MergeRounds({disturbed}, {now}), MergeRounds({now}, {disturbed})}) {
    EXPECT_EQ(lower[0].status, Status::kDisturbed);
    EXPECT_EQ(lower[0].reason, "too few samples");
    EXPECT_EQ(lower[0].throughput->cycles.value, 0.3);
  }
}

TEST(MergeRounds, AValueKeepsWhatWasFoundWithIt) {
  InstructionRow quiet = RowOf(0.2, 2.0);
  quiet.throughput->limit = "pipes";
  quiet.throughput->code = "quiet";
  InstructionRow contended = RowOf(0.4, 2.0);
  contended.throughput->cycles.contended = true;
  contended.throughput->upper_bound = true;
  contended.latency[0].kind = LatencyKind::kUpperBound;
  contended.latency[0].cycles.contended = true;
  for (const auto& merged :
       {MergeRounds({quiet}, {contended}), MergeRounds({contended}, {quiet})}) {
    EXPECT_EQ(merged[0].throughput->cycles.value, 0.2);
    EXPECT_FALSE(merged[0].throughput->upper_bound);
    EXPECT_EQ(merged[0].throughput->limit, "pipes");
    EXPECT_EQ(merged[0].throughput->code, "quiet");
    EXPECT_EQ(merged[0].latency[0].kind, LatencyKind::kExact);
  }
}

TEST(MergeRounds, WhatARoundLacksIsKept) {
  InstructionRow before = RowOf(0.5, 2.0);
  before.latency.push_back({.from = "x2", .to = "x0"});
  before.latency[1].cycles = SimulatedEstimate(3, 0.01);
  before.throughput_by_values.push_back({.values = "slow"});
  before.throughput_by_values[0].cycles = SimulatedEstimate(9, 0.01);
  const auto merged = MergeRounds({before}, {RowOf(0.5, 2.0)});
  ASSERT_EQ(merged[0].latency.size(), 2u);
  EXPECT_EQ(merged[0].latency[1].from, "x2");
  ASSERT_EQ(merged[0].throughput_by_values.size(), 1u);
  EXPECT_EQ(merged[0].throughput_by_values[0].cycles.value, 9);
}

TEST(MergeRounds, AThroughputThatARoundDoesNotHaveIsKept) {
  InstructionRow now = RowOf(0, 1.9);
  now.throughput.reset();
  EXPECT_EQ(MergeRounds({RowOf(0.5, 2.0)}, {now})[0].throughput->cycles.value, 0.5);
}

// Rounds as a real machine has them: the value errs to both sides, the interval's width varies with
// the luck of few visits, and some rounds are slow without knowing it.
TEST(MergeRounds, DoesNotDriftBelowTheTruth) {
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
          SimulatedEstimate(kTruth + kDeviation * noise(random) + (slow ? 0.3 : 0), half_width);
      return row;
    };
    std::vector<InstructionRow> kept = {round()};
    for (int i = 1; i < 1000; ++i) kept = MergeRounds(kept, {round()});
    const Estimate& cycles = kept[0].latency[0].cycles;
    EXPECT_LE(cycles.low, kTruth) << seed;
    EXPECT_GE(cycles.high, kTruth) << seed;
    EXPECT_NEAR(cycles.value, kTruth, kDeviation) << seed;
  }
}

}  // namespace
}  // namespace cyclescope::instructions
