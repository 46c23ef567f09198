// The frequency of CPUs: for `frequency`, `survey`, and `cores` in cycles.
#pragma once

#include <memory>
#include <optional>

#include "cyclescope/base/error.h"
#include "cyclescope/choices.h"
#include "cyclescope/result/document.h"
#include "library/pulse.h"
#include "measure/core_watch.h"
#include "measure/frequency.h"
#include "measure/tick_clock.h"
#include "os/cpus.h"

namespace cyclescope::library {

struct FrequencyRun {
  os::CpuList cpus;
  CycleChoice cycles = CycleChoice::kAuto;
  measure::FrequencySettings settings;
  std::optional<double> patience_s;  // for all CPUs together
  // What is known of the cores, shared with the other parts of a request.
  std::shared_ptr<measure::CoreWatches> watches = std::make_shared<measure::CoreWatches>();
};

// One row per CPU, and the clock and warnings that go with them; ends early, and says so in the
// document, when the pulse ends. The calling thread has its CPUs back afterwards.
Result<void> MeasureFrequencies(const FrequencyRun& run, const measure::TickClock& clock,
                                Pulse& pulse, Document& document);

}  // namespace cyclescope::library
