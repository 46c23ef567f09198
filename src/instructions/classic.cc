#include "instructions/classic.h"

#include <utility>

namespace cyclescope::instructions {

std::optional<ClassicRow> MakeClassicRow(std::string test, const ClassicValue& value,
                                         const measure::Totals& totals,
                                         const measure::TickClock& clock) {
  if (totals.units <= 0 || totals.cycles <= 0 || totals.ticks <= 0) return std::nullopt;
  ClassicRow row;
  row.test = std::move(test);
  row.instructions = totals.instructions.value_or(totals.units * value.instructions_per_unit);
  row.core_cycles = totals.cycles;
  row.ticks = totals.ticks;
  row.seconds = totals.ticks / clock.hz;
  row.base_ghz = clock.hz / 1e9;
  row.reference_cycles = totals.reference_cycles;
  row.cycles_per_instruction = value.cycles;
  row.upper_bound = value.upper_bound;
  row.instructions_per_cycle = row.instructions / totals.cycles;
  if (totals.rates_differ) return row;
  row.boost = totals.cycles / totals.ticks;
  row.core_ghz = row.base_ghz * row.boost;
  return row;
}

}  // namespace cyclescope::instructions
