#include "library/frequency_rows.h"

#include "library/warnings.h"
#include "measure/instrument.h"

namespace cyclescope::library {
namespace {

// An instrument that runs in this thread, which stays on `cpu`.
Result<measure::Instrument> InstrumentOn(int cpu, CycleChoice choice,
                                         const measure::TickClock& clock) {
  if (auto pinned = os::Pin(cpu); !pinned) return std::unexpected(pinned.error());
  return measure::Instrument::Create(choice, clock, measure::MakeInProcessExecutor);
}

Result<void> MeasureRows(const FrequencyRun& run, const measure::TickClock& clock, Pulse& pulse,
                         Document& document) {
  const auto report = [&] {
    return pulse.Report(
        {.done = document.frequency.size(), .total = run.cpus.size(), .part = "frequency"});
  };
  document.frequency.clear();
  bool go_on = report();
  for (auto cpu = run.cpus.begin(); go_on && cpu != run.cpus.end(); ++cpu) {
    auto instrument = InstrumentOn(*cpu, run.cycles, clock);
    if (!instrument) return std::unexpected(instrument.error());
    document.frequency.push_back(measure::MeasureFrequency(*instrument, *cpu, run.settings));
    document.clock = instrument->DescribeClock();
    AddWarnings(instrument->warnings(), document.warnings);
    go_on = report();
  }
  return {};
}

}  // namespace

Result<void> MeasureFrequencies(const FrequencyRun& run, const measure::TickClock& clock,
                                Pulse& pulse, Document& document) {
  const auto measured = MeasureRows(run, clock, pulse, document);
  const auto unpinned = os::Unpin(document.host.cpus_allowed);
  if (!measured) return measured;
  document.partial = document.partial || document.frequency.size() < run.cpus.size();
  return unpinned;
}

}  // namespace cyclescope::library
