#include "fleet/cause.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

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
  EXPECT_THAT(CauseOf({clock}), AllOf(HasSubstr("a lower frequency"),
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

TEST(Cause, SizesOfBuffers) {
  FleetDeviation buffer = Slower(MetricKind::kCoreSize, "loads (mov r, [m])", "entries");
  EXPECT_THAT(CauseOf({buffer}), HasSubstr("fewer instructions at once"));
  EXPECT_THAT(CauseOf({buffer, Slower(MetricKind::kNeighbour, "time with a neighbour", "")}),
              HasSubstr("shares its cores"));
  buffer.slower = false;
  EXPECT_THAT(CauseOf({buffer}), HasSubstr("more instructions at once"));
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
  EXPECT_THAT(CauseOf({clock}), HasSubstr("a higher frequency"));
}

TEST(Cause, ASettingAlone) {
  EXPECT_EQ(CauseOf({}, {{"microcode", "0x1", "0x2"}}),
            "its microcode is 0x1, where nodes like it have 0x2");
}

// Each cause, and what is nearly it: the same deviation beside one that explains more, or to the
// other side.
TEST(Cause, NearMissesHaveOtherCauses) {
  using enum ClaimCode;
  const auto codes = [](std::vector<FleetDeviation> deviations, std::vector<OddSetting> odd = {}) {
    std::set<ClaimCode> found;
    for (const Claim& claim : LikelyCause(deviations, odd)) found.insert(claim.code);
    return found;
  };
  const auto faster = [](FleetDeviation deviation) {
    deviation.slower = false;
    return deviation;
  };
  using Codes = std::set<ClaimCode>;
  const FleetDeviation stolen = Slower(MetricKind::kStolen, "stolen time", "");
  const FleetDeviation neighbour = Slower(MetricKind::kNeighbour, "time with a neighbour", "");
  const FleetDeviation clock = Slower(MetricKind::kClock, "core clock", "GHz");
  const FleetDeviation slowest = Slower(MetricKind::kClock, "slowest core's clock", "GHz");
  const FleetDeviation cache = Slower(MetricKind::kMemoryLatency, "L2", "cycles");
  const FleetDeviation memory = Slower(MetricKind::kMemoryLatency, "memory", "ns");
  const FleetDeviation bandwidth = Slower(MetricKind::kBandwidth, "memory read", "GB/s");
  const FleetDeviation cores = Slower(MetricKind::kCores, "cas: other core", "ns");
  const FleetDeviation imul = Slower(MetricKind::kInstruction, "imul", "cycles");
  EXPECT_EQ(codes({stolen}), Codes{kTimeWithheld});
  EXPECT_EQ(codes({faster(stolen)}), Codes{kQuietHost});
  EXPECT_EQ(codes({neighbour}), Codes{kCoresShared});
  EXPECT_EQ(codes({neighbour, stolen}), Codes{kTimeWithheld}) << "which makes neighbours, too";
  EXPECT_EQ(codes({clock}), (Codes{kSlowClock, kCyclesAsElsewhere, kPowerLimit}));
  EXPECT_EQ(codes({faster(clock)}), Codes{kFastClock});
  EXPECT_EQ(codes({slowest}), (Codes{kSlowClockOfOneCore, kCyclesAsElsewhere, kPowerLimit}));
  EXPECT_EQ(codes({slowest, clock}), (Codes{kSlowClock, kCyclesAsElsewhere, kPowerLimit}));
  EXPECT_EQ(codes({clock, imul}), (Codes{kSlowClock, kPowerLimit}));
  EXPECT_EQ(codes({clock, faster(imul)}), (Codes{kSlowClock, kCyclesAsElsewhere, kPowerLimit}));
  EXPECT_EQ(codes({clock}, {{"turbo", "off", "on"}}),
            (Codes{kSlowClock, kCyclesAsElsewhere, kOddSetting}));
  EXPECT_EQ(codes({cache}), Codes{kSlowCache});
  EXPECT_EQ(codes({cache, cores}), Codes{kSlowCache}) << "cycles of a core do not come from afar";
  EXPECT_EQ(codes({memory}), Codes{kFarMemory});
  EXPECT_EQ(codes({memory, cores}), Codes{kFarMemoryAndCores});
  EXPECT_EQ(codes({memory, faster(cores)}), Codes{kFarMemory});
  EXPECT_EQ(codes({bandwidth}), Codes{kLowBandwidth});
  EXPECT_EQ(codes({bandwidth, memory}), Codes{kFarMemory});
  EXPECT_EQ(codes({cores}), Codes{kFarCores});
  EXPECT_EQ(codes({cores, clock}), (Codes{kSlowClock, kCyclesAsElsewhere, kPowerLimit}));
  EXPECT_EQ(codes({imul}), Codes{kSlowInstructions});
  EXPECT_EQ(codes({faster(imul)}), Codes{kFastInstructions});
  EXPECT_EQ(codes({imul, cores}), Codes{kFarCores});
  EXPECT_EQ(codes({faster(memory)}), Codes{kNearMemory});
  EXPECT_EQ(codes({faster(clock), faster(memory)}), Codes{kFastClock}) << "the clearest";
}

}  // namespace
}  // namespace cyclescope::fleet
