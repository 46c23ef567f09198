#include "library/frequency_rows.h"

#include "library/warnings.h"

namespace cyclescope::library {
namespace {

// An instrument that runs in this thread, which stays on `cpu`.
Result<measure::Instrument> InstrumentOn(int cpu, CycleChoice choice,
                                         const measure::TickClock& clock) {
  if (auto pinned = os::Pin(cpu); !pinned) return std::unexpected(pinned.error());
  return measure::Instrument::Create(choice, clock, measure::MakeInProcessExecutor);
}

}  // namespace

Result<void> MeasureFrequencies(const os::CpuList& cpus, CycleChoice choice,
                                const measure::TickClock& clock,
                                const measure::FrequencySettings& settings,
                                const OnProgress& on_progress, Document& document) {
  document.frequency.clear();
  for (const int cpu : cpus) {
    if (on_progress && !on_progress({document.frequency.size(), cpus.size()})) break;
    auto instrument = InstrumentOn(cpu, choice, clock);
    if (!instrument) return std::unexpected(instrument.error());
    document.frequency.push_back(measure::MeasureFrequency(*instrument, cpu, settings));
    document.clock = instrument->DescribeClock();
    AddWarnings(instrument->warnings(), document.warnings);
  }
  document.partial = document.partial || document.frequency.size() < cpus.size();
  return {};
}

}  // namespace cyclescope::library
