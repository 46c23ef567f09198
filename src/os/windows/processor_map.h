// Where the CPUs of a Windows machine are. Windows counts them in groups of 64 at most; we count
// them through, group after group, with room for those of a group that are off.
#pragma once

#include <windows.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/result/host.h"
#include "os/topology.h"

namespace cyclescope::os {

struct ProcessorGroup {
  int first_cpu = 0;
  int most_cpus = 0;  // that it can have
  KAFFINITY active = 0;
};

// A place in a group, as Windows has it.
struct GroupPlace {
  WORD group = 0;
  BYTE number = 0;

  bool operator==(const GroupPlace&) const = default;
};

struct ProcessorMap {
  std::vector<ProcessorGroup> groups;
  std::vector<CpuPlace> places;  // of the CPUs that are on, ascending

  struct Cache {
    CacheClaim claim;
    std::vector<int> cpus;
  };
  std::vector<Cache> caches;  // data and unified

  // Unset for a CPU that does not exist or is off.
  std::optional<GroupPlace> Find(int cpu) const;
  std::optional<int> CpuAt(const GroupPlace& place) const;
};

// Where a core's class of efficiency is: PROCESSOR_RELATIONSHIP::EfficiencyClass, which not every
// compiler's header names.
inline constexpr std::size_t kEfficiencyClassAt = 1;

// What GetLogicalProcessorInformationEx(RelationAll) wrote. An error if it is damaged.
Result<ProcessorMap> ReadProcessorMap(std::span<const std::byte> information);

// The map of this machine, read once.
const Result<ProcessorMap>& ThisMachine();

// Puts a thread on one CPU: of this process or, with a handle that may set it, of another.
Result<void> PinThread(HANDLE thread, int cpu);

}  // namespace cyclescope::os
