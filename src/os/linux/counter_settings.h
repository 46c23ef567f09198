// Kernel settings that decide whether counters can be used; unset where the file does not exist.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "cyclescope/result/check.h"

namespace cyclescope::os {

struct CounterSettings {
  bool exist = true;  // counters of the cores, that is: a hypervisor may offer none
  std::optional<int> perf_event_paranoid;
  std::optional<int> perf_user_access;  // AArch64 only
  std::optional<int> rdpmc;             // x86-64 only: 0 never, 1 for open events, 2 always
};
CounterSettings ReadCounterSettings(const std::filesystem::path& root = "/");

std::vector<Check> JudgeCounterSettings(const CounterSettings& settings);

}  // namespace cyclescope::os
