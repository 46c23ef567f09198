// The clock, and the probes that fit it: what ticks on this machine have to do with cycles.
//
//   auto opened = OpenBestSource<sandbox::Executor>(CycleChoice::kAuto, MakeInProcessExecutor);
//   auto instrument = Instrument::SetUp(clock, opened->source, *opened->executor, cpu, watch);
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/work.h"
#include "cyclescope/base/error.h"
#include "cyclescope/choices.h"
#include "cyclescope/result/clock.h"
#include "cyclescope/result/document.h"
#include "measure/core_watch.h"
#include "measure/tick_clock.h"
#include "os/counters.h"
#include "sandbox/executor.h"

namespace cyclescope::measure {

// Where cycles come from, and why not from a better place.
struct CycleSource {
  std::string name;    // "counter-user", "counter", "reference"
  std::string reason;  // empty when it is the best

  bool is_reference() const { return name == "reference"; }
};

// Makes an executor whose records have counters, if an access is given; an error says why there can
// be none.
template <typename Executor>
using ExecutorFactory =
    std::function<Result<std::unique_ptr<Executor>>(std::optional<os::CounterAccess> access)>;

// Executors in the calling thread, for code of our own alone.
Result<std::unique_ptr<sandbox::Executor>> MakeInProcessExecutor(
    std::optional<os::CounterAccess> access);

template <typename Executor>
struct OpenedSource {
  std::unique_ptr<Executor> executor;
  CycleSource source;
};

// With kAuto the best source that this machine has; a choice is not replaced by another.
template <typename Executor>
Result<OpenedSource<Executor>> OpenBestSource(CycleChoice choice,
                                              const ExecutorFactory<Executor>& make_executor) {
  struct Kind {
    CycleChoice choice;
    std::optional<os::CounterAccess> access;
    const char* name;
  };
  std::string reason;
  for (const Kind& kind :
       {Kind{CycleChoice::kCounterUser, os::CounterAccess::kUser, "counter-user"},
        Kind{CycleChoice::kCounter, os::CounterAccess::kSystem, "counter"},
        Kind{CycleChoice::kReference, std::nullopt, "reference"}}) {
    if (choice != CycleChoice::kAuto && choice != kind.choice) continue;
    auto executor = make_executor(kind.access);
    if (executor)
      return OpenedSource<Executor>{std::move(*executor), {kind.name, std::move(reason)}};
    if (choice == kind.choice || !kind.access) return std::unexpected(executor.error());
    reason = executor.error().ToString();
  }
  std::unreachable();
}

class Instrument {
 public:
  // Sizes the probes to the clock's resolution, and takes the first ones for `watch`.
  static Result<Instrument> SetUp(const TickClock& clock, const CycleSource& source,
                                  sandbox::Executor& executor, int cpu,
                                  std::shared_ptr<CoreWatch> watch);

  const TickClock& clock() const { return clock_; }
  const CycleSource& source() const { return source_; }
  const ProbeLengths& probe_lengths() const { return lengths_; }
  CoreWatch& watch() const { return *watch_; }
  // True if its cycles are the core's: they were counted, or the self-check passed.
  bool TrustsCycles() const { return !source_.is_reference() || watch_->trusted(); }
  // The ticks that a timed stretch should last: long against the jitter of a call (some
  // nanoseconds) and the counter's step, short against a time slice.
  double StretchTicks() const;

  // Some probes in a row on the CPU that the executor is on.
  Result<std::vector<Probe>> TakeProbes(sandbox::Executor& executor, int cpu, int count) const;

  // Probes for some time, some in a row; each such row goes to `take` with when it began. Ends when
  // `goes_on` says so.
  using TakeProbesAt = std::function<void(std::int64_t at_ns, std::span<const Probe> probes)>;
  Result<void> ProbeFor(std::int64_t duration_ns, sandbox::Executor& executor, int cpu,
                        const WallClock& wall_clock, const TakeProbesAt& take = {},
                        const GoesOn& goes_on = {}) const;

  // What a reader of the results must know about the cycle source.
  std::vector<Warning> Warnings() const;
  // Fills the result document's clock.
  Clock DescribeClock() const;

 private:
  Instrument(const TickClock& clock, CycleSource source, std::shared_ptr<CoreWatch> watch)
      : clock_(clock), source_(std::move(source)), watch_(std::move(watch)) {}
  Result<void> SizeProbes(sandbox::Executor& executor);

  TickClock clock_;
  CycleSource source_;
  std::shared_ptr<CoreWatch> watch_;
  ProbeLengths lengths_;
  std::optional<double> counted_link_;  // cycles that the counters see in a link of one cycle
};

}  // namespace cyclescope::measure
