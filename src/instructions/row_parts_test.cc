// The parts of a row that need no machine: the classic table's columns, and minima over rounds.
#include <gtest/gtest.h>

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

InstructionRow RowOf(double throughput, double latency) {
  InstructionRow row;
  row.throughput.emplace();
  row.throughput->cycles.value = throughput;
  row.latency.push_back({.from = "x1", .to = "x0"});
  row.latency[0].cycles.value = latency;
  row.classic.push_back({.test = "THR", .cycles_per_instruction = throughput});
  return row;
}

TEST(KeepMinima, TakesTheLowerOfEachValue) {
  const auto lower = KeepMinima({RowOf(0.5, 2.0)}, {RowOf(0.6, 1.9)});
  ASSERT_EQ(lower.size(), 1u);
  EXPECT_EQ(lower[0].throughput->cycles.value, 0.5);
  EXPECT_EQ(lower[0].latency[0].cycles.value, 1.9);
  EXPECT_EQ(lower[0].classic[0].cycles_per_instruction, 0.5);
}

TEST(KeepMinima, ARoundThatFailedChangesNothing) {
  InstructionRow failed;
  failed.status = Status::kTimeout;
  EXPECT_EQ(KeepMinima({RowOf(0.5, 2.0)}, {failed})[0].throughput->cycles.value, 0.5);
}

TEST(KeepMinima, ADisturbedValueIsNoMinimum) {
  InstructionRow disturbed = RowOf(0.4, 1.5);
  disturbed.status = Status::kDisturbed;
  disturbed.reason = "too few samples";
  disturbed.latency[0].cycles.disturbed = true;
  const auto lower = KeepMinima({disturbed}, {RowOf(0.5, 2.0)});
  EXPECT_EQ(lower[0].status, Status::kMeasured);
  EXPECT_EQ(lower[0].throughput->cycles.value, 0.4);
  EXPECT_EQ(lower[0].latency[0].cycles.value, 2.0);
}

TEST(KeepMinima, ARowWithADisturbedValueIsDisturbed) {
  InstructionRow disturbed = RowOf(0.4, 1.5);
  disturbed.status = Status::kDisturbed;
  disturbed.reason = "too few samples";
  disturbed.latency[0].cycles.disturbed = true;
  InstructionRow now = disturbed;
  now.throughput->cycles.value = 0.3;
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

}  // namespace
}  // namespace cyclescope::instructions
