// The frequency of CPUs, for whoever needs it.
#pragma once

#include "base/error.h"
#include "cyclescope/progress.h"
#include "measure/frequency.h"
#include "measure/instrument.h"
#include "os/cpus.h"
#include "result/document.h"

namespace cyclescope::library {

// One row per CPU, and the clock and warnings that go with them; ends early, and says so in the
// document, when `on_progress` says so. The calling thread stays on the last CPU.
Result<void> MeasureFrequencies(const os::CpuList& cpus, CycleChoice choice,
                                const measure::TickClock& clock,
                                const measure::FrequencySettings& settings,
                                const OnProgress& on_progress, Document& document);

}  // namespace cyclescope::library
