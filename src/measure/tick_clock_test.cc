#include "measure/tick_clock.h"

#include <gtest/gtest.h>

namespace cyclescope::measure {
namespace {

// A simulated machine: each read of either clock takes 10 ns; the counter ticks at `hz` and moves
// by `quantum`.
struct FakeTime {
  double hz = 1e9;
  std::uint64_t quantum = 1;
  std::int64_t now_ns = 1000;

  ClockReaders Readers(std::optional<arch::TickRate> declared) {
    return {[this] {
              now_ns += 10;
              const auto ticks = static_cast<std::uint64_t>(static_cast<double>(now_ns) * hz / 1e9);
              return ticks / quantum * quantum;
            },
            [this] { return now_ns += 10; }, std::move(declared), true};
  }
};

TEST(FindTickClock, TakesTheProcessorsWordWhenItAgrees) {
  FakeTime time{.hz = 2.1e9};
  const TickClock clock = FindTickClock(time.Readers(arch::TickRate{2.1e9, "cpuid 15h"}));
  EXPECT_EQ(clock.hz, 2.1e9);
  EXPECT_EQ(clock.source, "cpuid 15h");
  EXPECT_NEAR(clock.calibrated_hz, 2.1e9, 2.1e9 * 1e-5);
}

TEST(FindTickClock, CalibratesWhenTheProcessorIsSilent) {
  FakeTime time{.hz = 2.6e9};
  const TickClock clock = FindTickClock(time.Readers(std::nullopt));
  EXPECT_NEAR(clock.hz, 2.6e9, 2.6e9 * 1e-5);
  EXPECT_EQ(clock.source, "calibrated");
}

TEST(FindTickClock, DoesNotBelieveAWrongWord) {
  FakeTime time{.hz = 2.6e9};
  const TickClock clock = FindTickClock(time.Readers(arch::TickRate{2.5e9, "cpuid 15h"}));
  EXPECT_NEAR(clock.hz, 2.6e9, 2.6e9 * 1e-5);
  EXPECT_EQ(clock.source, "calibrated");
}

TEST(FindTickClock, SeesThroughACounterThatIsScaledUp) {
  FakeTime time{.hz = 1e9, .quantum = 40};  // 25 MHz, shown as 1 GHz
  const TickClock clock = FindTickClock(time.Readers(arch::TickRate{1e9, "cntfrq_el0"}));
  EXPECT_EQ(clock.quantum % 40, 0u);
  EXPECT_GE(clock.resolution_ns(), 40.0);
}

TEST(FindTickClock, OnThisMachine) {
  const TickClock clock = SystemTickClock();
  EXPECT_GE(clock.hz, 1e6);
  EXPECT_NEAR(clock.hz / clock.calibrated_hz, 1, 1.1e-3);
  EXPECT_GT(clock.resolution_ns(), 0.0);
}

}  // namespace
}  // namespace cyclescope::measure
