#include "library/frequency_rows.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/try.h"
#include "library/warnings.h"
#include "measure/instrument.h"

namespace cyclescope::library {
namespace {

Result<void> MeasureRows(const FrequencyRun& run, const measure::TickClock& clock, Pulse& pulse,
                         Document& document) {
  const auto report = [&] {
    return pulse.Report(
        {.done = document.frequency.size(), .total = run.cpus.size(), .part = "frequency"});
  };
  document.frequency.clear();
  bool go_on = report();
  // The chains tell the frequency of a shared core nearly as well: not worth a long wait.
  constexpr double kPatienceS = 1;
  measure::FrequencySettings settings = run.settings;
  settings.patience = std::chrono::nanoseconds(
      static_cast<std::int64_t>(run.patience_s.value_or(kPatienceS) * 1e9));
  settings.goes_on = pulse.Question();
  ClockVerdicts verdicts;
  for (auto cpu = run.cpus.begin(); go_on && cpu != run.cpus.end(); ++cpu) {
    TRY(os::Pin(*cpu));
    auto opened =
        TRY(measure::OpenBestSource<sandbox::Executor>(run.cycles, measure::MakeInProcessExecutor));
    const auto instrument =
        TRY(measure::Instrument::SetUp(clock, opened.source, *opened.executor, *cpu,
                                       run.watches->Of(*cpu, document.host.topology)));
    measure::MeasuredFrequency measured =
        measure::MeasureFrequency(instrument, *opened.executor, *cpu, settings);
    if (measured.cut_short) break;
    settings.patience = std::max(settings.patience - measured.waited, std::chrono::nanoseconds(0));
    document.frequency.push_back(std::move(measured.row));
    verdicts.Add(*cpu, instrument.watch(), instrument.DescribeClock(), instrument.Warnings());
    verdicts.Describe(document);
    DescribeContention(instrument.watch(), measured.waited, document);
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
