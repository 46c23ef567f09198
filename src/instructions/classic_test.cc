#include "instructions/classic.h"

#include <gtest/gtest.h>

namespace cyclescope::instructions {
namespace {

measure::TickClock GigahertzClock() {
  measure::TickClock clock;
  clock.hz = 1e9;
  return clock;
}

// The value is the instruction's own; instructions, cycles and what follows from them are those of
// the run, and belong together.
TEST(MakeClassicRow, DerivesEveryColumn) {
  const measure::Totals totals = {.units = 1000, .cycles = 2000, .ticks = 800};
  const ClassicRow row =
      MakeClassicRow("LAT", {.cycles = 1.02, .upper_bound = true, .instructions_per_unit = 3},
                     totals, GigahertzClock())
          .value();
  EXPECT_EQ(row.test, "LAT");
  EXPECT_DOUBLE_EQ(row.cycles_per_instruction, 1.02);
  EXPECT_TRUE(row.upper_bound);
  EXPECT_DOUBLE_EQ(row.instructions, 3000);
  EXPECT_DOUBLE_EQ(row.core_cycles, 2000);
  EXPECT_DOUBLE_EQ(row.instructions_per_cycle, 1.5);
  EXPECT_DOUBLE_EQ(row.seconds, 800e-9);
  EXPECT_DOUBLE_EQ(row.boost, 2.5);
  EXPECT_DOUBLE_EQ(row.base_ghz, 1);
  EXPECT_DOUBLE_EQ(row.core_ghz, 2.5);
  EXPECT_FALSE(row.reference_cycles.has_value());
}

TEST(MakeClassicRow, TakesCountedInstructionsWhereThereAreAny) {
  const measure::Totals totals = {
      .units = 1000, .cycles = 1000, .ticks = 500, .instructions = 1010};
  EXPECT_DOUBLE_EQ(MakeClassicRow("THR", {.cycles = 1}, totals, GigahertzClock())->instructions,
                   1010);
}

TEST(MakeClassicRow, NoClockRateFollowsFromRatesThatDiffer) {
  const measure::Totals totals = {
      .units = 1000, .cycles = 2000, .ticks = 16000, .rates_differ = true};
  const auto row = MakeClassicRow("LAT", {.cycles = 2}, totals, GigahertzClock());
  ASSERT_TRUE(row);
  EXPECT_EQ(row->boost, 0);
  EXPECT_EQ(row->core_ghz, 0);
  EXPECT_DOUBLE_EQ(row->core_cycles, 2000);
}

TEST(MakeClassicRow, NothingKeptIsNoRow) {
  EXPECT_FALSE(MakeClassicRow("THR", {}, {}, GigahertzClock()).has_value());
}

}  // namespace
}  // namespace cyclescope::instructions
