#include "memory/gauge.h"

#include <utility>

#include "arch/architecture.h"
#include "base/try.h"
#include "os/clock.h"
#include "os/cpus.h"

namespace cyclescope::memory {

Result<Gauge> Gauge::SetUp(const measure::TickClock& clock, int cpu,
                           std::shared_ptr<measure::CoreWatch> watch,
                           std::chrono::nanoseconds patience) {
  TRY(os::Pin(cpu));
  // The loops are timed here and not by an executor, so that counters would not see them.
  auto executor = TRY(measure::MakeInProcessExecutor(std::nullopt));
  auto instrument =
      TRY(measure::Instrument::SetUp(clock, {"reference", "memory is timed by the clock alone"},
                                     *executor, cpu, std::move(watch)));
  return Gauge(std::move(executor), std::move(instrument), cpu, patience);
}

Result<Timed> Gauge::Time(int samples, const std::function<void()>& run) {
  constexpr int kMostTries = 6;
  auto timed = TimeOnce(samples, run);
  for (int i = 1; i < kMostTries && timed; ++i) {
    const bool lost = timed->nanoseconds.empty();
    if (!lost && (!timed->contended || waited_ >= patience_)) break;
    const std::int64_t begin = os::MonotonicNanoseconds();
    auto again = TimeOnce(samples, run);
    if (!lost) waited_ += std::chrono::nanoseconds(os::MonotonicNanoseconds() - begin);
    if (!again) return again;
    const bool is_better = timed->nanoseconds.empty() ||
                           (timed->contended && !again->contended && !again->nanoseconds.empty());
    if (is_better) timed = std::move(again);
  }
  return timed;
}

Result<bool> Gauge::IsContended() {
  const auto probes = TRY(instrument_.TakeProbes(*executor_, cpu_, 1));
  return instrument_.watch().StateOf(probes.front()) == measure::CoreState::kContended;
}

Result<Timed> Gauge::TimeOnce(int samples, const std::function<void()>& run) {
  const auto before = TRY(instrument_.TakeProbes(*executor_, cpu_, 1));
  std::vector<double> ticks;
  for (int i = 0; i < samples; ++i) {
    const std::int64_t switches = os::ContextSwitches();
    const std::uint64_t begin = arch::ReadTicks();
    run();
    const std::uint64_t end = arch::ReadTicks();
    if (os::ContextSwitches() == switches && end > begin)
      ticks.push_back(static_cast<double>(end - begin));
  }
  const auto after = TRY(instrument_.TakeProbes(*executor_, cpu_, 1));

  Timed timed;
  const measure::Probe& first = before.front();
  const measure::Probe& last = after.front();
  if (first.disturbed || last.disturbed) return timed;
  const auto cycle_ticks = instrument_.watch().CycleTicks(first, last);
  if (!cycle_ticks) return timed;
  timed.contended = instrument_.watch().StateOf(first) == measure::CoreState::kContended ||
                    instrument_.watch().StateOf(last) == measure::CoreState::kContended;
  for (const double each : ticks) {
    timed.nanoseconds.push_back(instrument_.clock().Nanoseconds(each));
    timed.cycles.push_back(each / *cycle_ticks);
  }
  return timed;
}

}  // namespace cyclescope::memory
