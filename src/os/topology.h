// The topology that the system claims, through hwloc.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/error.h"
#include "result/host.h"

namespace cyclescope::os {

// The place of every CPU of the machine, those this process may not use included, ascending by CPU.
// With `recorded`, an hwloc XML file is read instead of this machine. hwloc may write to standard
// error about a machine that it finds odd.
Result<std::vector<CpuPlace>> ReadTopology(
    const std::optional<std::filesystem::path>& recorded = std::nullopt);

// A data cache that one CPU has, alone or with others.
struct CacheClaim {
  int level = 0;
  std::int64_t bytes = 0;
  int cpus = 1;  // that have it together
};
// Those on the way from the CPU to memory, the nearest first; empty where the system lists none.
Result<std::vector<CacheClaim>> ReadCaches(
    int cpu, const std::optional<std::filesystem::path>& recorded = std::nullopt);

// Keeps hwloc from writing to standard error. There is no call for this but a variable of the
// environment, which is the process's: so this is for a program, at its start, while it has one
// thread. A library must not.
void KeepHwlocSilent();

}  // namespace cyclescope::os
