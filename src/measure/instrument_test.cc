#include "measure/instrument.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/testing/fake_executor.h"

namespace cyclescope::measure {
namespace {

using sandbox::Entry;
using testing::FakeExecutor;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The fake runs 0.4 ticks a cycle.
TickClock FakeClock() {
  TickClock clock;
  clock.hz = 1e9;
  clock.source = "made";
  clock.calibrated_hz = 1e9;
  return clock;
}

// A machine that grants the accesses named, each with `counted_per_cycle`.
ExecutorFactory Machine(std::vector<os::CounterAccess> granted, double counted_per_cycle = 1,
                        double unit_link_cycles = 1) {
  return
      [=](std::optional<os::CounterAccess> access) -> Result<std::unique_ptr<sandbox::Executor>> {
        if (access && std::ranges::find(granted, *access) == granted.end())
          return Failed("no counters in this test");
        auto executor = std::make_unique<FakeExecutor>();
        executor->counters = access.has_value();
        executor->counted_per_cycle = counted_per_cycle;
        if (unit_link_cycles != 1) {
          executor->cycles_per_loop = [=](Entry entry) {
            return entry.index == 0 ? 100 * unit_link_cycles : 100.0;
          };
        }
        return executor;
      };
}

TEST(Instrument, AutoTakesTheBestSource) {
  const auto instrument =
      Instrument::Create(CycleChoice::kAuto, FakeClock(),
                         Machine({os::CounterAccess::kUser, os::CounterAccess::kSystem}));
  ASSERT_TRUE(instrument.has_value());
  EXPECT_EQ(instrument->source().name(), "counter-user");
  EXPECT_THAT(instrument->warnings(), IsEmpty());
  EXPECT_THAT(instrument->DescribeClock().cycle_source_reason, IsEmpty());
}

TEST(Instrument, AutoSaysWhyABetterSourceWasNotToBeHad) {
  const auto system =
      Instrument::Create(CycleChoice::kAuto, FakeClock(), Machine({os::CounterAccess::kSystem}));
  ASSERT_TRUE(system.has_value());
  EXPECT_EQ(system->source().name(), "counter");
  const auto none = Instrument::Create(CycleChoice::kAuto, FakeClock(), Machine({}));
  ASSERT_TRUE(none.has_value());
  EXPECT_EQ(none->source().name(), "reference");
  EXPECT_EQ(none->DescribeClock().cycle_source_reason, "no counters in this test");
}

TEST(Instrument, AChoiceIsNotReplacedByAnother) {
  const auto instrument = Instrument::Create(CycleChoice::kCounterUser, FakeClock(),
                                             Machine({os::CounterAccess::kSystem}));
  ASSERT_FALSE(instrument.has_value());
  EXPECT_EQ(instrument.error().message, "no counters in this test");
  EXPECT_EQ(
      Instrument::Create(CycleChoice::kReference, FakeClock(), Machine({os::CounterAccess::kUser}))
          ->source()
          .name(),
      "reference");
}

TEST(Instrument, WarnsWhenCountersDisagreeWithTheReference) {
  const auto instrument =
      Instrument::Create(CycleChoice::kAuto, FakeClock(),
                         Machine({os::CounterAccess::kUser}, /*counted_per_cycle=*/1.02));
  ASSERT_TRUE(instrument.has_value());
  ASSERT_EQ(instrument->warnings().size(), 1u);
  EXPECT_EQ(instrument->warnings()[0].code, "counters-disagree");
}

TEST(Instrument, WarnsOfAnUntrustedReference) {
  const auto instrument =
      Instrument::Create(CycleChoice::kReference, FakeClock(), Machine({}, 1, 0.176));
  ASSERT_TRUE(instrument.has_value());
  EXPECT_FALSE(instrument->check().trusted);
  ASSERT_EQ(instrument->warnings().size(), 1u);
  EXPECT_EQ(instrument->warnings()[0].code, "untrusted-reference");
}

TEST(Instrument, FitsLoopsToTheClock) {
  auto instrument = Instrument::Create(CycleChoice::kReference, FakeClock(), Machine({}));
  ASSERT_TRUE(instrument.has_value());
  const auto pair = instrument->FitLoops({Entry::Kind::kKernel, 0}, {Entry::Kind::kKernel, 1}, 5);
  ASSERT_TRUE(pair.has_value());
  EXPECT_EQ(pair->shorter.loops, pair->longer.loops);
  // 10 cycles a loop are 4 ticks: about 1,500 loops make 6,000 ns.
  EXPECT_GT(pair->shorter.loops, 1000u);
  EXPECT_LT(pair->shorter.loops, 2000u);
  EXPECT_EQ(pair->extra_units, 5.0 * static_cast<double>(pair->shorter.loops));
  const auto measured = instrument->Measure(*pair, {});
  ASSERT_TRUE(measured.has_value());
  EXPECT_NEAR(measured->estimate.value, 2, 0.01);
}

TEST(Instrument, OneLoopOfSlowCodeIsEnough) {
  auto instrument = Instrument::Create(CycleChoice::kReference, FakeClock(), Machine({}));
  ASSERT_TRUE(instrument.has_value());
  const auto pair =
      instrument->FitLoops({Entry::Kind::kKernel, 999'999}, {Entry::Kind::kKernel, 1'999'999}, 1);
  ASSERT_TRUE(pair.has_value());
  EXPECT_EQ(pair->shorter.loops, 1u);
}

}  // namespace
}  // namespace cyclescope::measure
