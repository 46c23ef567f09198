#include "measure/frequency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/claims.h"
#include "measure/testing/simulated_core.h"

namespace cyclescope::measure {
namespace {

using testing::SimulatedCore;

MeasuredFrequency MeasureOn(SimulatedCore& core, std::chrono::nanoseconds patience) {
  const auto instrument =
      Instrument::SetUp(core.Clock(), {"reference", ""}, core, 3, std::make_shared<CoreWatch>());
  EXPECT_TRUE(instrument.has_value());
  FrequencySettings settings;
  settings.wall_clock = core.Time();
  settings.patience = patience;
  return MeasureFrequency(*instrument, core, 3, settings);
}

FrequencyRow MeasureOn(SimulatedCore& core) { return MeasureOn(core, {}).row; }

// The simulated core runs at 3 GHz.
TEST(MeasureFrequency, IsTheRatioToTheTicks) {
  SimulatedCore core;
  const FrequencyRow row = MeasureOn(core);
  EXPECT_EQ(row.cpu, 3);
  EXPECT_EQ(row.status, Status::kMeasured);
  EXPECT_NEAR(row.base_ghz, 2.1, 1e-9);
  EXPECT_NEAR(row.core_ghz.value, 3, 0.003);
  EXPECT_NEAR(row.boost, 3 / 2.1, 0.002);
  EXPECT_TRUE(row.self_check_passed);
  EXPECT_FALSE(row.core_ghz.contended);
  EXPECT_THAT(row.steps, ::testing::IsEmpty());
}

TEST(MeasureFrequency, ANeighbourDoesNotBendIt) {
  SimulatedCore core;
  core.is_shared = [](int, std::int64_t at_ns) { return at_ns / 10'000'000 % 2 == 1; };
  const FrequencyRow half = MeasureOn(core);
  EXPECT_NEAR(half.core_ghz.value, 3, 0.003);
  EXPECT_FALSE(half.core_ghz.contended);
  SimulatedCore busy;
  busy.is_shared = [](int, std::int64_t at_ns) { return at_ns > 5'000'000; };
  const FrequencyRow always = MeasureOn(busy);
  EXPECT_TRUE(always.core_ghz.contended);
  EXPECT_NEAR(always.core_ghz.value, 3, 0.01);
}

TEST(MeasureFrequency, PatienceOutlastsANeighbour) {
  using std::chrono::milliseconds;
  // Quiet is learnt in the first 5 ms; then a neighbour stays for 600 ms.
  const auto come_and_go = [](int, std::int64_t at_ns) {
    return at_ns > 5'000'000 && at_ns < 600'000'000;
  };
  SimulatedCore impatient;
  impatient.is_shared = come_and_go;
  const MeasuredFrequency shared = MeasureOn(impatient, milliseconds(0));
  EXPECT_TRUE(shared.row.core_ghz.contended);
  EXPECT_EQ(shared.waited.count(), 0);
  SimulatedCore patient;
  patient.is_shared = come_and_go;
  const MeasuredFrequency quiet = MeasureOn(patient, milliseconds(5000));
  EXPECT_FALSE(quiet.row.core_ghz.contended);
  EXPECT_NEAR(quiet.row.core_ghz.value, 3, 0.003);
  EXPECT_GE(quiet.waited, milliseconds(400));
  EXPECT_LE(quiet.waited, milliseconds(700));
}

// However long it may wait: Ctrl-C is answered at once.
TEST(MeasureFrequency, WaitingEndsWhenAsked) {
  using std::chrono::seconds;
  for (const std::int64_t end_ns : {10'000'000, 60'000'000, 400'000'000}) {
    SimulatedCore core;
    core.is_shared = [](int, std::int64_t at_ns) { return at_ns > 5'000'000; };
    const WallClock clock = core.Time();
    const auto instrument =
        Instrument::SetUp(core.Clock(), {"reference", ""}, core, 3, std::make_shared<CoreWatch>());
    ASSERT_TRUE(instrument.has_value());
    FrequencySettings settings;
    settings.wall_clock = clock;
    settings.patience = seconds(60);
    settings.goes_on = [&] { return clock.now_ns() < end_ns; };
    const MeasuredFrequency measured = MeasureFrequency(*instrument, core, 3, settings);
    EXPECT_LT(clock.now_ns(), end_ns + 5'000'000);
    // What was measured before it began to wait is a row.
    EXPECT_EQ(measured.cut_short, end_ns < 130'000'000) << end_ns;
  }
}

// Nothing was disturbed on a quiet core that was left after two windows of twenty.
TEST(MeasureFrequency, WhatEndedEarlyWasNotDisturbed) {
  SimulatedCore core;
  const WallClock clock = core.Time();
  const auto instrument =
      Instrument::SetUp(core.Clock(), {"reference", ""}, core, 3, std::make_shared<CoreWatch>());
  ASSERT_TRUE(instrument.has_value());
  FrequencySettings settings;
  settings.wall_clock = clock;
  const std::int64_t end_ns = clock.now_ns() + settings.warm_up_ns + settings.duration_ns / 20 + 1;
  settings.goes_on = [&] { return clock.now_ns() < end_ns; };
  const FrequencyRow row = MeasureFrequency(*instrument, core, 3, settings).row;
  EXPECT_EQ(row.status, Status::kDisturbed);
  EXPECT_EQ(row.reason, "measuring ended before there were enough samples");
}

TEST(MeasureFrequency, AnOccasionalSwitchIsDropped) {
  SimulatedCore core;
  core.disturb = [n = 0](sandbox::CallRecord& record) mutable {
    if (++n % 50 != 0) return;
    record.context_switches = 1;
    record.ticks += 4'000'000;
  };
  const FrequencyRow row = MeasureOn(core);
  EXPECT_EQ(row.status, Status::kMeasured);
  EXPECT_NEAR(row.core_ghz.value, 3, 0.003);
  EXPECT_GT(row.core_ghz.rejected, 0);
}

TEST(MeasureFrequency, ABusyCpuIsDisturbed) {
  SimulatedCore core;
  core.disturb = [](sandbox::CallRecord& record) { record.context_switches = 1; };
  const FrequencyRow row = MeasureOn(core);
  EXPECT_EQ(row.status, Status::kDisturbed);
  EXPECT_THAT(row.reason, ::testing::HasSubstr("disturbed"));
}

TEST(MeasureFrequency, NoRateFollowsFromDisturbedSamples) {
  FrequencyRow row;
  row.boost = 1.3;
  row.core_ghz = {.value = 2.7, .low = 2.58, .high = 2.84, .kept = 90, .rejected = 10};
  JudgeRate(row);
  EXPECT_EQ(row.status, Status::kMeasured) << "less than a tenth";
  EXPECT_FALSE(row.claim.has_value());
  EXPECT_EQ(row.core_ghz.value, 2.7);
  row.core_ghz.low = 2.56;
  JudgeRate(row);
  EXPECT_EQ(row.status, Status::kDisturbed);
  ASSERT_TRUE(row.claim.has_value());
  EXPECT_EQ(row.claim->code, ClaimCode::kRateInDoubt);
  EXPECT_EQ(row.reason, Sentence(*row.claim));
  EXPECT_EQ(row.core_ghz.value, 0);
  EXPECT_EQ(row.core_ghz.kept, 0);
  EXPECT_EQ(row.core_ghz.rejected, 100);
  EXPECT_EQ(row.boost, 0);
}

TEST(MeasureFrequency, AWideIntervalIsDisturbedUnlessStepsExplainIt) {
  FrequencyRow row;
  row.core_ghz = {.value = 2.7, .low = 2.54, .high = 2.85};
  EXPECT_TRUE(IsDisturbed(row));
  row.steps = {{.ghz = 2.595, .share = 0.42}, {.ghz = 2.795, .share = 0.48}};
  EXPECT_FALSE(IsDisturbed(row));
  row.steps[1].share = 0.2;
  EXPECT_TRUE(IsDisturbed(row));
  // Seven rates within a tenth of a second are no clock's.
  row.steps.assign(7, {.ghz = 2.6, .share = 1.0 / 7});
  EXPECT_TRUE(IsDisturbed(row));
  row.steps.assign(3, {.ghz = 2.6, .share = 0.27});
  EXPECT_FALSE(IsDisturbed(row));
  row.core_ghz = {.value = 2.7, .low = 2.65, .high = 2.75};
  EXPECT_FALSE(IsDisturbed(row));
}

TEST(FindSteps, FindsWhatAClockMovesBetween) {
  std::vector<double> ghz;
  for (int i = 0; i < 300; ++i) ghz.push_back((i < 100 ? 3.6 : 3.9) + 0.001 * (i % 5));
  const auto steps = FindSteps(ghz);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_NEAR(steps[0].ghz, 3.602, 1e-9);
  EXPECT_NEAR(steps[0].share, 1.0 / 3, 1e-9);
  EXPECT_NEAR(steps[1].ghz, 3.902, 1e-9);
}

}  // namespace
}  // namespace cyclescope::measure
