#include "os/linux/counter_settings.h"

#include <optional>
#include <string>
#include <utility>

#include "os/host.h"
#include "os/linux/core_pmus.h"
#include "os/linux/files.h"

namespace cyclescope::os {
namespace {

Check JudgeSetting(std::string name, std::string setting, int value,
                   std::optional<ClaimCode> in_the_way, std::string remedy) {
  return {.name = std::move(name),
          .status = in_the_way ? CheckStatus::kNote : CheckStatus::kOk,
          .claim = Claim{in_the_way.value_or(ClaimCode::kSettingAllows),
                         {{"setting", std::move(setting)}, {"value", static_cast<double>(value)}}},
          .remedy = in_the_way ? std::move(remedy) : ""};
}

}  // namespace

CounterSettings ReadCounterSettings(const std::filesystem::path& root) {
  CounterSettings settings;
  settings.perf_event_paranoid = ReadInteger(root / "proc/sys/kernel/perf_event_paranoid");
  settings.perf_user_access = ReadInteger(root / "proc/sys/kernel/perf_user_access");
  settings.rdpmc = ReadInteger(root / "sys/devices/cpu/rdpmc");
  // Hybrid processors have one folder for each kind of core.
  if (!settings.rdpmc) settings.rdpmc = ReadInteger(root / "sys/devices/cpu_core/rdpmc");
  // Only a processor's own counters have that file on x86-64, and a list of CPUs on AArch64.
  settings.exist = settings.rdpmc || !ReadCorePmus(root).empty();
  return settings;
}

std::vector<Check> JudgeCounterSettings(const CounterSettings& settings) {
  std::vector<Check> checks;
  if (!settings.exist) return checks;
  const auto unless = [](bool is_good, ClaimCode code) {
    return is_good ? std::nullopt : std::optional(code);
  };
  if (const auto& level = settings.perf_event_paranoid) {
    // Up to 2 a process may count its own user-space events, which is all that cyclescope asks for.
    checks.push_back(JudgeSetting("perf_event_paranoid", "kernel.perf_event_paranoid", *level,
                                  unless(*level <= 2, ClaimCode::kSuperuserCounters),
                                  "sudo sysctl kernel.perf_event_paranoid=2"));
  }
  if (const auto& access = settings.perf_user_access) {
    checks.push_back(JudgeSetting("perf_user_access", "kernel.perf_user_access", *access,
                                  unless(*access != 0, ClaimCode::kNoUserCounters),
                                  "sudo sysctl kernel.perf_user_access=1"));
  } else if (const auto& rdpmc = settings.rdpmc) {
    checks.push_back(JudgeSetting("rdpmc", "rdpmc", *rdpmc,
                                  unless(*rdpmc != 0, ClaimCode::kNoUserCounters),
                                  "echo 1 | sudo tee /sys/bus/event_source/devices/cpu/rdpmc"));
  }
  return checks;
}

std::vector<Check> CheckSystem(const std::filesystem::path& root) {
  return JudgeCounterSettings(ReadCounterSettings(root));
}

}  // namespace cyclescope::os
