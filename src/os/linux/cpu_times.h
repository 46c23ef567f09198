// Where each CPU's time went since boot: the cpuN rows of /proc/stat (man 5 proc_stat).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "os/host.h"

namespace cyclescope::os {

// In clock ticks of the kernel, sysconf(_SC_CLK_TCK) in a second.
struct CpuTimes {
  int cpu = 0;
  std::int64_t idle = 0;    // waiting for a disk included
  std::int64_t stolen = 0;  // the hypervisor ran something else
  std::int64_t total = 0;   // both of the above, and all work
};

// One entry per CPU that is on; rows that cannot be understood are left out.
std::vector<CpuTimes> ParseCpuTimes(std::string_view proc_stat);
std::vector<CpuTimes> ReadCpuTimes(const std::filesystem::path& root);

// The busy share of every CPU that is in both; stolen time counts as busy, since it was not ours.
std::vector<CpuLoad> LoadBetween(const std::vector<CpuTimes>& before,
                                 const std::vector<CpuTimes>& after);

}  // namespace cyclescope::os
