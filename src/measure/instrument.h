// A clock, an executor and a cycle source that fit each other: what an experiment measures with.
//
//   Result<Instrument> instrument = Instrument::Create(CycleChoice::kAuto, clock, factory);
//   auto pair = instrument->FitLoops(kernel_100, kernel_200, /*extra_units_per_loop=*/100);
//   auto cycles = instrument->Measure(*pair, settings);
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cyclescope/cycle_choice.h"
#include "measure/cycle_source.h"
#include "measure/sampler.h"
#include "measure/tick_clock.h"
#include "os/counters.h"
#include "result/clock.h"
#include "result/document.h"
#include "sandbox/executor.h"

namespace cyclescope::measure {

// Makes an executor whose records have counters, if an access is given; an error says why there can
// be none.
using ExecutorFactory = std::function<Result<std::unique_ptr<sandbox::Executor>>(
    std::optional<os::CounterAccess> access)>;

// Executors in the calling thread, for the reference chains alone.
Result<std::unique_ptr<sandbox::Executor>> MakeInProcessExecutor(
    std::optional<os::CounterAccess> access);

class Instrument {
 public:
  // With kAuto the best source that this machine has; the reason why a better one was not to be had
  // is kept.
  static Result<Instrument> Create(CycleChoice choice, const TickClock& clock,
                                   const ExecutorFactory& make_executor);

  const TickClock& clock() const { return clock_; }
  const CycleSource& source() const { return *source_; }
  const Jury& jury() const { return jury_; }
  sandbox::Executor& executor() { return *executor_; }

  // Whether its cycles are the core's: they were counted, or the jury agrees.
  bool TrustsCycles() const { return jury_.trusted || source_->name() != "reference"; }

  // What a reader of the results must know about the cycle source.
  const std::vector<Warning>& warnings() const { return warnings_; }

  // Fills the result document's clock.
  Clock DescribeClock() const;

  // Chooses the loop count with which the longer of two entries takes enough time more than the
  // shorter one for the clock's resolution. `extra_units_per_loop` is what the longer has more in
  // one loop.
  std::expected<LengthPair, sandbox::Death> FitLoops(sandbox::Entry shorter, sandbox::Entry longer,
                                                     double extra_units_per_loop);

  std::expected<Measurement, sandbox::Death> Measure(const LengthPair& pair,
                                                     const SamplingSettings& settings) {
    return TakeSamples(*executor_, *source_, pair, settings);
  }

  // The pair that measures the reference chain itself.
  LengthPair ReferencePair() const;

 private:
  Instrument(const TickClock& clock, std::unique_ptr<sandbox::Executor> executor);

  // Sizes the reference and holds the jury; then, with counters, holds these against the reference.
  Result<void> SetUpReference();
  void CheckCounters();

  // The ticks that a timed stretch should last.
  double StretchTicks() const;
  // The least time one call takes, of several tries.
  std::expected<double, sandbox::Death> LeastTicks(const sandbox::Call& call, int tries);

  TickClock clock_;
  std::unique_ptr<sandbox::Executor> executor_;
  std::unique_ptr<CycleSource> source_;
  std::unique_ptr<CycleSource> reference_;
  std::string source_reason_;
  std::uint64_t reference_loops_ = 0;
  Jury jury_;
  std::vector<Warning> warnings_;
};

}  // namespace cyclescope::measure
