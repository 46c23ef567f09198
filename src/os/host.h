// What the system says about the machine. What Linux has in /proc and /sys is read below `root`, so
// that recorded machines (tests/data/machines) can be read on any other; Windows has no such
// folders and takes no notice of it.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "arch/architecture.h"
#include "cyclescope/result/check.h"
#include "cyclescope/result/host.h"

namespace cyclescope::os {

// Fills everything but `features`, `topology` and `cpus_allowed`. What the system does not say
// stays empty; a hypervisor that does not give its name is "unnamed".
Host DescribeHost(const std::filesystem::path& root = "/");

// This system in the name of a compiler's target: "unknown-linux-gnu".
std::string_view TargetSystem();

// Busy share (0 to 1) of each CPU over a short wait. The system counts in ticks of 10 ms or more,
// so a wait of less than 0.1 s says little; a CPU without a tick in it is left out.
struct CpuLoad {
  int cpu = 0;
  double busy = 0;
};
std::vector<CpuLoad> SampleLoad(double seconds);

// AT_HWCAP and AT_HWCAP2 of this process; what another system says of the same is put in their
// terms.
arch::CapabilityWords ReadCapabilityWords();

// What only one system has: its settings that bear on measuring, judged. Each has a claim and no
// words: those are made above this layer.
std::vector<Check> CheckSystem(const std::filesystem::path& root = "/");

}  // namespace cyclescope::os
