#include "os/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/clock.h"
#include "os/counters.h"
#include "os/topology.h"

namespace cyclescope::os {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST(DescribeHost, SaysWhatTheMachineIs) {
  const Host host = DescribeHost();
  EXPECT_THAT(host.name, Not(IsEmpty()));
  EXPECT_EQ(host.architecture, "x86_64");
  EXPECT_THAT(host.cpu_model, Not(IsEmpty()));
  EXPECT_THAT(host.kernel, StartsWith("Windows NT "));
  EXPECT_GE(host.cpus_online.value_or(0), 1);
}

TEST(SampleLoad, IsAShareOfEachCpu) {
  const auto loads = SampleLoad(0.1);
  EXPECT_FALSE(loads.empty());
  for (const CpuLoad& load : loads) {
    EXPECT_GE(load.busy, 0);
    EXPECT_LE(load.busy, 1);
  }
}

TEST(Counters, AreOutOfReachAndSayWhy) {
  for (const CounterAccess access : {CounterAccess::kUser, CounterAccess::kSystem}) {
    const auto counters = Counters::Open(access);
    ASSERT_FALSE(counters);
    EXPECT_THAT(counters.error().message, HasSubstr("Windows"));
  }
}

TEST(CheckSystem, SaysThatThereIsNoFilter) {
  EXPECT_THAT(CheckSystem(), testing::Contains(testing::Field(&Check::name, "system calls")));
}

TEST(Clock, GoesForward) {
  std::int64_t last = MonotonicNanoseconds();
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t now = MonotonicNanoseconds();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(Topology, RecordingsAreForAnotherSystem) {
  const auto places = ReadTopology("machine.xml");
  ASSERT_FALSE(places);
  EXPECT_EQ(places.error().kind, ErrorKind::kBadInput);
}

TEST(Topology, CachesOfACpuAreInOrder) {
  const auto places = ReadTopology();
  ASSERT_TRUE(places);
  const auto caches = ReadCaches(places->front().cpu);
  ASSERT_TRUE(caches);
  EXPECT_TRUE(std::ranges::is_sorted(*caches, {}, &CacheClaim::level));
}

}  // namespace
}  // namespace cyclescope::os
