// Times our own loops in the calling thread, between two probes: how long they took in ticks, how
// long a cycle was, and whether another thread shared the core.
//
//   auto gauge = Gauge::SetUp(clock, cpu, watch, patience);
//   const Timed timed = *gauge->Time(3, [&] { at = arch::Follow(at, loops); });
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "cyclescope/base/error.h"
#include "measure/core_watch.h"
#include "measure/instrument.h"
#include "measure/tick_clock.h"
#include "sandbox/executor.h"

namespace cyclescope::memory {

struct Timed {
  std::vector<double> nanoseconds;  // one for each sample; empty where all were disturbed
  std::vector<double> cycles;
  bool contended = false;
};

class Gauge {
 public:
  // Moves the calling thread to the CPU. `patience` is the time that is spent in all on trying
  // again where the core was shared.
  static Result<Gauge> SetUp(const measure::TickClock& clock, int cpu,
                             std::shared_ptr<measure::CoreWatch> watch,
                             std::chrono::nanoseconds patience);

  // Some samples in a row. Where the core was shared or the thread was interrupted, it tries again
  // a few times.
  Result<Timed> Time(int samples, const std::function<void()>& run);

  // True if another thread shares the core right now.
  Result<bool> IsContended();

  const measure::Instrument& instrument() const { return instrument_; }
  std::chrono::nanoseconds waited() const { return waited_; }

 private:
  Gauge(std::unique_ptr<sandbox::Executor> executor, measure::Instrument instrument, int cpu,
        std::chrono::nanoseconds patience)
      : executor_(std::move(executor)),
        instrument_(std::move(instrument)),
        cpu_(cpu),
        patience_(patience) {}

  Result<Timed> TimeOnce(int samples, const std::function<void()>& run);

  std::unique_ptr<sandbox::Executor> executor_;
  measure::Instrument instrument_;
  int cpu_ = 0;
  std::chrono::nanoseconds patience_;
  std::chrono::nanoseconds waited_{0};
};

}  // namespace cyclescope::memory
