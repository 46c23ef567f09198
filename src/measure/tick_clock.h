// The time-stamp counter as a clock: how fast it ticks, how finely, and whether that can be
// trusted.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "arch/architecture.h"
#include "cyclescope/result/clock.h"

namespace cyclescope::measure {

struct TickClock {
  double hz =
      0;  // the processor's own word where it agrees with the calibration, else the calibration
  std::string source;        // "cntfrq_el0", "cpuid 15h", "calibrated"
  double calibrated_hz = 0;  // against the operating system's clock
  bool invariant = false;
  std::uint64_t quantum =
      1;  // ticks by which the counter moves; above 1 where it is scaled up from a slower one

  double Nanoseconds(double ticks) const { return ticks / hz * 1e9; }
  double resolution_ns() const { return Nanoseconds(static_cast<double>(quantum)); }
};

// What a clock is found out from; tests pass their own.
struct ClockReaders {
  std::function<std::uint64_t()> ticks;
  std::function<std::int64_t()> nanoseconds;
  std::optional<arch::TickRate> declared;
  bool invariant = false;
};
ClockReaders SystemClockReaders();

// Takes about `calibration_ns` of time. A calibration of 10 ms is good to some parts in a million.
TickClock FindTickClock(const ClockReaders& readers, std::int64_t calibration_ns = 10'000'000);
// That of this machine.
TickClock SystemTickClock();

// The result document's clock, without a cycle source.
Clock DescribeTicks(const TickClock& clock);

// True if the processor's word and the calibration differ so much (0.1 %) that one of them must be
// wrong.
bool DeclaredRateIsWrong(const arch::TickRate& declared, double calibrated_hz);

// The time that waiting is counted in; tests have their own.
struct WallClock {
  std::function<std::int64_t()> now_ns;
  std::function<void(std::int64_t nanoseconds)> sleep;
};
WallClock SystemWallClock();

}  // namespace cyclescope::measure
