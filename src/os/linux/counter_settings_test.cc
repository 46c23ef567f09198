#include "os/linux/counter_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "os/linux/fake_root.h"

namespace cyclescope::os {
namespace {

using testing::Optional;

Check JudgedAs(const CounterSettings& settings, std::string_view name) {
  const auto checks = JudgeCounterSettings(settings);
  const auto found = std::ranges::find(checks, name, &Check::name);
  EXPECT_NE(found, checks.end()) << name;
  return found == checks.end() ? Check{} : *found;
}

TEST(ReadCounterSettings, AreThoseOfTheArchitecture) {
  const CounterSettings xeon = ReadCounterSettings(RecordedMachine("xeon-2-sockets"));
  EXPECT_THAT(xeon.perf_event_paranoid, Optional(3));
  EXPECT_EQ(xeon.perf_user_access, std::nullopt);
  EXPECT_THAT(xeon.rdpmc, Optional(1));

  const CounterSettings hybrid = ReadCounterSettings(RecordedMachine("hybrid-desktop"));
  EXPECT_THAT(hybrid.perf_event_paranoid, Optional(4));
  EXPECT_THAT(hybrid.rdpmc, Optional(2)) << "of the performance cores";

  const CounterSettings arm = ReadCounterSettings(RecordedMachine("arm-server"));
  EXPECT_THAT(arm.perf_event_paranoid, Optional(-1));
  EXPECT_THAT(arm.perf_user_access, Optional(0));
  EXPECT_EQ(arm.rdpmc, std::nullopt);

  const CounterSettings hidden = ReadCounterSettings(RecordedMachine("hiding-vm"));
  EXPECT_EQ(hidden.perf_event_paranoid, std::nullopt);
  EXPECT_FALSE(hidden.exist);
  EXPECT_TRUE(xeon.exist && hybrid.exist && arm.exist);
}

TEST(JudgeCounterSettings, GoodOnesNeedNoRemedy) {
  const auto checks = JudgeCounterSettings({.perf_event_paranoid = 2, .rdpmc = 1});
  EXPECT_EQ(checks.size(), 2u);
  for (const Check& check : checks) {
    EXPECT_EQ(check.status, CheckStatus::kOk) << check.name;
    EXPECT_TRUE(check.remedy.empty()) << check.name;
  }
}

TEST(JudgeCounterSettings, NamesTheSettingThatBarsCounters) {
  CounterSettings settings{.perf_event_paranoid = 3, .rdpmc = 0};
  EXPECT_EQ(JudgedAs(settings, "perf_event_paranoid").remedy,
            "sudo sysctl kernel.perf_event_paranoid=2");
  EXPECT_EQ(JudgedAs(settings, "rdpmc").status, CheckStatus::kNote);
  settings.perf_user_access = 0;
  EXPECT_EQ(JudgedAs(settings, "perf_user_access").remedy, "sudo sysctl kernel.perf_user_access=1");
}

TEST(JudgeCounterSettings, SettingsThatDoNotExistAreNotJudged) {
  EXPECT_TRUE(JudgeCounterSettings({}).empty());
}

TEST(JudgeCounterSettings, WithoutCountersThereIsNothingToAdvise) {
  const CounterSettings settings = {
      .exist = false, .perf_event_paranoid = 4, .perf_user_access = 0, .rdpmc = 0};
  EXPECT_TRUE(JudgeCounterSettings(settings).empty());
}

TEST(CounterSettings, AreJudgedAtTheirLimits) {
  const auto code = [](const CounterSettings& settings, const char* name) {
    return JudgedAs(settings, name).claim->code;
  };
  EXPECT_EQ(code({.perf_event_paranoid = 2}, "perf_event_paranoid"), ClaimCode::kSettingAllows);
  EXPECT_EQ(code({.perf_event_paranoid = 3}, "perf_event_paranoid"), ClaimCode::kSuperuserCounters);
  EXPECT_EQ(code({.perf_user_access = 1}, "perf_user_access"), ClaimCode::kSettingAllows);
  EXPECT_EQ(code({.perf_user_access = 0}, "perf_user_access"), ClaimCode::kNoUserCounters);
  EXPECT_EQ(code({.rdpmc = 1}, "rdpmc"), ClaimCode::kSettingAllows);
  EXPECT_EQ(code({.rdpmc = 0}, "rdpmc"), ClaimCode::kNoUserCounters);
}

}  // namespace
}  // namespace cyclescope::os
