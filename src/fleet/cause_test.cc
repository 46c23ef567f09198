#include "fleet/cause.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/claims.h"

namespace cyclescope::fleet {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

FleetDeviation Slower(MetricKind kind, std::string metric, std::string unit) {
  return {.metric = std::move(metric),
          .kind = kind,
          .unit = std::move(unit),
          .value = 0.3,
          .centre = 0.1,
          .slower = true};
}

std::string CauseOf(std::vector<FleetDeviation> deviations, std::vector<OddSetting> odd = {}) {
  return Sentences(LikelyCause(deviations, odd));
}

TEST(Cause, NothingDeviates) { EXPECT_EQ(CauseOf({}), ""); }

TEST(Cause, FewerCyclesPerSecond) {
  const FleetDeviation clock = Slower(MetricKind::kClock, "core clock", "GHz");
  EXPECT_THAT(CauseOf({clock}), AllOf(HasSubstr("fewer cycles per second"),
                                      HasSubstr("no instruction was seen to take more cycles"),
                                      HasSubstr("power or heat")));
  EXPECT_THAT(CauseOf({clock}, {{"governor", "powersave", "performance"}}),
              AllOf(HasSubstr("its governor is powersave"), Not(HasSubstr("heat"))));
  EXPECT_THAT(CauseOf({Slower(MetricKind::kClock, "slowest core's clock", "GHz")}),
              HasSubstr("at least one of its cores"));
}

TEST(Cause, WhatSlowsEverythingElseIsNamedFirst) {
  const FleetDeviation clock = Slower(MetricKind::kClock, "core clock", "GHz");
  EXPECT_THAT(CauseOf({clock, Slower(MetricKind::kStolen, "stolen time", "")}),
              HasSubstr("withholds 30 %"));
  EXPECT_THAT(CauseOf({clock, Slower(MetricKind::kNeighbour, "time with a neighbour", "")}),
              HasSubstr("shares its cores for 30 % of the time, where 10 %"));
}

TEST(Cause, MemoryAndCores) {
  EXPECT_THAT(CauseOf({Slower(MetricKind::kMemoryLatency, "memory", "ns")}),
              HasSubstr("memory is farther away"));
  EXPECT_THAT(CauseOf({Slower(MetricKind::kMemoryLatency, "L2", "cycles")}),
              HasSubstr("a cache of its"));
  EXPECT_THAT(CauseOf({Slower(MetricKind::kMemoryLatency, "memory", "ns"),
                       Slower(MetricKind::kCores, "cas: other core", "ns")}),
              HasSubstr("both farther away"));
  EXPECT_THAT(CauseOf({Slower(MetricKind::kBandwidth, "memory read", "GB/s")}),
              HasSubstr("fewer memory channels"));
  EXPECT_THAT(CauseOf({Slower(MetricKind::kCores, "cas: other core", "ns")}),
              HasSubstr("farther from each other"));
}

TEST(Cause, MoreCyclesPerInstruction) {
  EXPECT_THAT(CauseOf({Slower(MetricKind::kInstruction, "imul", "cycles")}),
              HasSubstr("instructions take more cycles"));
}

TEST(Cause, FasterIsDifferent) {
  FleetDeviation clock = Slower(MetricKind::kClock, "core clock", "GHz");
  clock.slower = false;
  EXPECT_THAT(CauseOf({clock}), HasSubstr("more cycles per second"));
}

TEST(Cause, ASettingAlone) {
  EXPECT_EQ(CauseOf({}, {{"microcode", "0x1", "0x2"}}),
            "its microcode is 0x1, where nodes like it have 0x2");
}

}  // namespace
}  // namespace cyclescope::fleet
