#include "instructions/block.h"

#include <gtest/gtest.h>

namespace cyclescope::instructions {
namespace {

// Quiet visits that all took `cycles`, and totals of which a disturbed stretch is a part.
measure::Measurement BlockTook(double cycles, double mean) {
  measure::Measurement measurement;
  measure::Visit visit;
  visit.state = measure::CoreState::kQuiet;
  visit.cycles.assign(3, cycles);
  measurement.visits.assign(3, visit);
  measurement.totals = {.units = 1000, .cycles = 1000 * mean, .ticks = 700 * mean};
  return measurement;
}

TEST(ConcludeBlock, TheClassicRowTellsTheSameCyclesAsTheRest) {
  const measure::TickClock clock = {.hz = 1e9};
  BlockPlan plan;
  plan.row.instructions = 2;
  const BlockRow row = ConcludeBlock(plan, BlockTook(6, 7), {.clock = &clock, .confidence = 0.95});
  EXPECT_EQ(row.status, Status::kMeasured);
  ASSERT_TRUE(row.cycles.has_value());
  EXPECT_NEAR(row.cycles->value, 6, 1e-9);
  ASSERT_EQ(row.classic.size(), 1u);
  EXPECT_EQ(row.classic[0].test, "BLK");
  EXPECT_NEAR(row.classic[0].cycles_per_instruction, row.cycles->value, 1e-9) << "of one iteration";
  EXPECT_NEAR(row.classic[0].instructions_per_cycle, 2. / 6, 1e-9);
}

// Only counters know how many instructions a snippet with branches executed.
TEST(ConcludeBlock, ThereIsNoClassicRowOfUncountedInstructions) {
  const measure::TickClock clock = {.hz = 1e9};
  BlockPlan plan;
  plan.knows_count = false;
  EXPECT_TRUE(
      ConcludeBlock(plan, BlockTook(6, 6), {.clock = &clock, .confidence = 0.95}).classic.empty());
}

}  // namespace
}  // namespace cyclescope::instructions
