// The classic table: THR and LAT rows in the columns that people know.
#pragma once

#include <optional>
#include <string>

#include "measure/experiment.h"
#include "measure/tick_clock.h"
#include "result/instruction.h"

namespace cyclescope::instructions {

// Cycles are those of a unit: an instruction, or one iteration of a snippet. Unset where no sample
// was kept. Instructions are as counted where there are counters, else as many as the samples were
// made of.
std::optional<ClassicRow> MakeClassicRow(std::string test, const measure::Totals& totals,
                                         const measure::TickClock& clock,
                                         int instructions_per_unit = 1);

}  // namespace cyclescope::instructions
