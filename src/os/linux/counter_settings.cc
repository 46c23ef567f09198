#include "os/linux/counter_settings.h"

#include <fmt/core.h>

#include <string>

#include "os/host.h"
#include "os/linux/core_pmus.h"
#include "os/linux/files.h"

namespace cyclescope::os {
namespace {

// One of which a value above or below a limit is in the way.
Check JudgeSetting(const std::string& name, const std::string& finding, bool good,
                   const std::string& effect, const std::string& remedy) {
  if (good) return {.name = name, .status = CheckStatus::kOk, .finding = finding};
  return {.name = name,
          .status = CheckStatus::kNote,
          .finding = finding,
          .effect = effect,
          .remedy = remedy};
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
  if (const auto& level = settings.perf_event_paranoid) {
    // Up to 2 a process may count its own user-space events, which is all that cyclescope asks for.
    checks.push_back(JudgeSetting(
        "perf_event_paranoid", fmt::format("kernel.perf_event_paranoid is {}", *level), *level <= 2,
        "counters are for the superuser only", "sudo sysctl kernel.perf_event_paranoid=2"));
  }
  constexpr const char* kNeedsCall = "counters cannot be read without a system call";
  if (const auto& access = settings.perf_user_access) {
    checks.push_back(
        JudgeSetting("perf_user_access", fmt::format("kernel.perf_user_access is {}", *access),
                     *access != 0, kNeedsCall, "sudo sysctl kernel.perf_user_access=1"));
  } else if (const auto& rdpmc = settings.rdpmc) {
    checks.push_back(JudgeSetting("rdpmc", fmt::format("rdpmc is {}", *rdpmc), *rdpmc != 0,
                                  kNeedsCall,
                                  "echo 1 | sudo tee /sys/bus/event_source/devices/cpu/rdpmc"));
  }
  return checks;
}

std::vector<Check> CheckSystem(const std::filesystem::path& root) {
  return JudgeCounterSettings(ReadCounterSettings(root));
}

}  // namespace cyclescope::os
