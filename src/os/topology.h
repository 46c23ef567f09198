// The topology that the system claims: on Linux through hwloc.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/result/host.h"

namespace cyclescope::os {

// The place of every CPU of the machine, those this process may not use included, ascending by CPU.
// With `recorded`, an hwloc XML file is read instead of this machine (on Linux). hwloc may write to
// standard error about a machine that it finds odd.
Result<std::vector<CpuPlace>> ReadTopology(
    const std::optional<std::filesystem::path>& recorded = std::nullopt);

// A data cache that one CPU has, alone or with others.
struct CacheClaim {
  int level = 0;
  std::int64_t bytes = 0;
  int cpus = 1;  // that have it together
};
// The caches on the way from the CPU to memory, the nearest first; empty where the system lists
// none.
Result<std::vector<CacheClaim>> ReadCaches(
    int cpu, const std::optional<std::filesystem::path>& recorded = std::nullopt);

}  // namespace cyclescope::os
