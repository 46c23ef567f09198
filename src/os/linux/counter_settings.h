// Kernel settings that decide whether counters can be used; unset where the file does not exist.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "cyclescope/base/error.h"
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

// perf_event_open failed with `error_number` for the event called `name` ("cycles").
Error ExplainRefusal(std::string_view name, int error_number, const CounterSettings& settings,
                     std::string_view hypervisor);

// The events count, but user space may not read them.
Error ExplainNoUserAccess(const CounterSettings& settings);

}  // namespace cyclescope::os
