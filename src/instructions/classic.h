// The classic table: THR and LAT rows in the columns that people know.
#pragma once

#include <optional>
#include <string>

#include "measure/sampler.h"
#include "measure/tick_clock.h"
#include "result/instruction.h"

namespace cyclescope::instructions {

// Unset where no sample was kept. Instructions are as counted where there are counters, else as
// many as the samples were made of.
std::optional<ClassicRow> MakeClassicRow(std::string test, const measure::Totals& totals,
                                         const measure::TickClock& clock);

}  // namespace cyclescope::instructions
