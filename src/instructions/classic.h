// The classic table: THR and LAT rows in the columns that people know.
#pragma once

#include <optional>
#include <string>

#include "cyclescope/result/instruction.h"
#include "measure/experiment.h"
#include "measure/tick_clock.h"

namespace cyclescope::instructions {

// What a row is about: the value of a unit (an instruction, or one iteration of a snippet), and the
// instructions that ran for each, connectors and fillers included.
struct ClassicValue {
  double cycles = 0;
  bool upper_bound = false;
  double instructions_per_unit = 1;
};

// The value beside a run that stands for it. Unset where no sample was kept. Instructions are as
// counted where there are counters, else as many as the samples were made of.
std::optional<ClassicRow> MakeClassicRow(std::string test, const ClassicValue& value,
                                         const measure::Totals& totals,
                                         const measure::TickClock& clock);

}  // namespace cyclescope::instructions
