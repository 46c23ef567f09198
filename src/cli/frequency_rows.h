// The frequency of CPUs, for every command that needs it.
#pragma once

#include "base/error.h"
#include "measure/frequency.h"
#include "measure/instrument.h"
#include "os/cpus.h"
#include "result/document.h"

namespace cyclescope::cli {

// One row per CPU, and the clock and warnings that go with them; ends early, and says so in the
// document, when the user interrupts. The calling thread stays on the last CPU.
Result<void> MeasureFrequencies(const os::CpuList& cpus, measure::CycleChoice choice,
                                const measure::TickClock& clock,
                                const measure::FrequencySettings& settings, Document& document);

}  // namespace cyclescope::cli
