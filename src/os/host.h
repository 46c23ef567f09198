// What the system says about the machine. Everything from /proc and /sys is read below `root`, so
// that recorded machines (tests/data/machines) can be read on any other.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "arch/architecture.h"
#include "result/host.h"

namespace cyclescope::os {

// Fills everything but `features`, `topology` and `cpus_allowed`. What the system does not say
// stays empty; a hypervisor that does not give its name is "unnamed".
Host DescribeHost(const std::filesystem::path& root = "/");

// Kernel settings that decide whether counters can be used; unset where the file does not exist.
struct CounterSettings {
  bool exist = true;  // counters of the cores, that is: a hypervisor may offer none
  std::optional<int> perf_event_paranoid;
  std::optional<int> perf_user_access;  // AArch64 only
  std::optional<int> rdpmc;             // x86-64 only: 0 never, 1 for open events, 2 always
};
CounterSettings ReadCounterSettings(const std::filesystem::path& root = "/");

// Busy share (0 to 1) of each CPU over a short wait, by /proc/stat. The kernel counts in ticks of
// 10 ms, so a wait of less than 0.1 s says little; a CPU without a tick in it is left out.
struct CpuLoad {
  int cpu = 0;
  double busy = 0;
};
std::vector<CpuLoad> SampleLoad(double seconds);

// AT_HWCAP and AT_HWCAP2 of this process.
arch::CapabilityWords ReadCapabilityWords();

}  // namespace cyclescope::os
