#include "measure/neighbours.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "measure/testing/simulated_core.h"

namespace cyclescope::measure {
namespace {

using ::testing::ElementsAre;
using testing::SimulatedCore;

// Looks at one CPU of a simulated machine in rounds that lie apart, and returns what came of it.
SharedTime SharedOn(SimulatedCore& core) {
  const auto watch = std::make_shared<CoreWatch>();
  const auto instrument = Instrument::SetUp(core.Clock(), {"reference", ""}, core, 0, watch);
  NeighbourSettings settings;
  settings.wall_clock = core.Time();
  for (int round = 0; round < settings.rounds; ++round) {
    EXPECT_TRUE(instrument->ProbeFor(settings.look_ns, core, 0, settings.wall_clock));
    core.now_ns += 10'000'000;  // elsewhere
  }
  EXPECT_TRUE(watch->trusted());
  EXPECT_EQ(watch->Shares().size(), 1u);
  return watch->Shares().at(0);
}

TEST(ProbeFor, AQuietCoreIsQuiet) {
  SimulatedCore core;
  const SharedTime shared = SharedOn(core);
  EXPECT_GT(shared.probes, 100);
  EXPECT_LT(shared.share(), 0.01);
  EXPECT_NEAR(shared.wide_quiet, 0.2, 0.01);
}

TEST(ProbeFor, FindsTheShareOfANeighbour) {
  SimulatedCore core;
  core.is_shared = [](int, std::int64_t at_ns) { return at_ns / 1'000'000 % 10 < 3; };
  const SharedTime shared = SharedOn(core);
  EXPECT_NEAR(shared.share(), 0.3, 0.1);
  EXPECT_NEAR(shared.wide_quiet, 0.2, 0.01);
  EXPECT_NEAR(shared.wide_contended, 0.34, 0.03);
}

TEST(ProbeFor, TakesNoLongerThanAsked) {
  SimulatedCore core;
  const auto watch = std::make_shared<CoreWatch>();
  const auto instrument = Instrument::SetUp(core.Clock(), {"reference", ""}, core, 0, watch);
  NeighbourSettings settings;
  settings.wall_clock = core.Time();
  const std::int64_t begin = core.now_ns;
  ASSERT_TRUE(instrument->ProbeFor(settings.look_ns, core, 0, settings.wall_clock));
  EXPECT_LT(core.now_ns - begin, 2 * settings.look_ns);
}

// Whatever the machine is: it comes back with a share for each CPU, and the thread may go anywhere.
TEST(LookForNeighbours, LooksAtTheCpusOfThisMachine) {
  Host host;
  host.cpus_allowed = *os::AllowedCpus();
  const TickClock clock = SystemTickClock();
  const auto neighbours = LookForNeighbours(host, clock, {.look_ns = 1'000'000, .rounds = 2});
  ASSERT_TRUE(neighbours);
  EXPECT_EQ(neighbours->cpus.size(), os::SomeOf(host.cpus_allowed, 16).size());
  EXPECT_EQ(*os::AllowedCpus(), host.cpus_allowed);
  for (const SharedTime& shared : neighbours->cpus) {
    EXPECT_GE(shared.share(), 0);
    EXPECT_LE(shared.share(), 1);
  }
}

}  // namespace
}  // namespace cyclescope::measure
