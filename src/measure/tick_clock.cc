#include "measure/tick_clock.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include "os/clock.h"

namespace cyclescope::measure {
namespace {

// The two clocks read at the same moment.
struct Instant {
  double ticks = 0;
  double nanoseconds = 0;
};

// The operating system's clock is read between two tick reads; of several tries the one with the
// smallest gap between them pins the moment best (an interrupt in the gap would spoil it).
Instant ReadInstant(const ClockReaders& readers) {
  constexpr int kTries = 16;
  Instant best;
  double smallest_gap = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t before = readers.ticks();
    const std::int64_t nanoseconds = readers.nanoseconds();
    const auto gap = static_cast<double>(readers.ticks() - before);
    if (gap < smallest_gap) {
      smallest_gap = gap;
      best = {static_cast<double>(before) + gap / 2, static_cast<double>(nanoseconds)};
    }
  }
  return best;
}

double CalibrateHz(const ClockReaders& readers, std::int64_t calibration_ns) {
  const Instant begin = ReadInstant(readers);
  while (static_cast<double>(readers.nanoseconds()) <
         begin.nanoseconds + static_cast<double>(calibration_ns)) {
  }
  const Instant end = ReadInstant(readers);
  return (end.ticks - begin.ticks) / (end.nanoseconds - begin.nanoseconds) * 1e9;
}

// A counter that is scaled up from a slower one moves in steps: all differences share a divisor.
std::uint64_t FindQuantum(const ClockReaders& readers) {
  constexpr int kReads = 500;
  std::uint64_t divisor = 0;
  std::uint64_t last = readers.ticks();
  for (int i = 0; i < kReads && divisor != 1; ++i) {
    const std::uint64_t now = readers.ticks();
    divisor = std::gcd(divisor, now - last);
    last = now;
  }
  return std::max<std::uint64_t>(divisor, 1);
}

}  // namespace

ClockReaders SystemClockReaders() {
  return {arch::ReadTicks, os::MonotonicNanoseconds, arch::DeclaredTickRate(),
          arch::TicksAreInvariant()};
}

bool DeclaredRateIsWrong(const arch::TickRate& declared, double calibrated_hz) {
  return std::abs(declared.hz / calibrated_hz - 1) > 1e-3;
}

Clock DescribeTicks(const TickClock& clock) {
  Clock described;
  described.tick_hz = clock.hz;
  described.tick_source = clock.source;
  described.calibrated_tick_hz = clock.calibrated_hz;
  described.invariant = clock.invariant;
  described.resolution_ns = clock.resolution_ns();
  return described;
}

TickClock FindTickClock(const ClockReaders& readers, std::int64_t calibration_ns) {
  TickClock clock;
  clock.calibrated_hz = CalibrateHz(readers, calibration_ns);
  clock.invariant = readers.invariant;
  clock.quantum = FindQuantum(readers);
  if (readers.declared && !DeclaredRateIsWrong(*readers.declared, clock.calibrated_hz)) {
    clock.hz = readers.declared->hz;
    clock.source = readers.declared->source;
  } else {
    clock.hz = clock.calibrated_hz;
    clock.source = "calibrated";
  }
  return clock;
}

TickClock SystemTickClock() { return FindTickClock(SystemClockReaders()); }

WallClock SystemWallClock() {
  return {os::MonotonicNanoseconds, [](std::int64_t nanoseconds) {
            std::this_thread::sleep_for(std::chrono::nanoseconds(nanoseconds));
          }};
}

}  // namespace cyclescope::measure
