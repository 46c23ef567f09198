#include "cli/frequency_rows.h"

#include "cli/narration.h"
#include "cli/warnings.h"
#include "os/interrupt.h"

namespace cyclescope::cli {
namespace {

// An instrument that runs in this thread, which stays on `cpu`.
Result<measure::Instrument> InstrumentOn(int cpu, measure::CycleChoice choice,
                                         const measure::TickClock& clock) {
  if (auto pinned = os::Pin(cpu); !pinned) return std::unexpected(pinned.error());
  return measure::Instrument::Create(choice, clock, measure::MakeInProcessExecutor);
}

}  // namespace

Result<void> MeasureFrequencies(const os::CpuList& cpus, measure::CycleChoice choice,
                                const measure::TickClock& clock,
                                const measure::FrequencySettings& settings, Document& document) {
  document.frequency.clear();
  Progress progress("measuring frequency", cpus.size());
  for (const int cpu : cpus) {
    if (os::Interrupted()) break;
    auto instrument = InstrumentOn(cpu, choice, clock);
    if (!instrument) return std::unexpected(instrument.error());
    document.frequency.push_back(measure::MeasureFrequency(*instrument, cpu, settings));
    document.clock = instrument->DescribeClock();
    AddWarnings(instrument->warnings(), document.warnings);
    progress.Advance();
  }
  document.partial = document.partial || document.frequency.size() < cpus.size();
  return {};
}

}  // namespace cyclescope::cli
