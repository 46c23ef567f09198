#include "os/topology.h"

#include <algorithm>

#include "os/windows/processor_map.h"

namespace cyclescope::os {
namespace {

std::unexpected<Error> NoRecordings() {
  return BadInput("a recorded topology (hwloc's XML) is read on Linux only");
}

}  // namespace

// GetLogicalProcessorInformationEx and not hwloc, which would ask the same and add nothing.
Result<std::vector<CpuPlace>> ReadTopology(const std::optional<std::filesystem::path>& recorded) {
  if (recorded) return NoRecordings();
  const auto& map = ThisMachine();
  if (!map) return std::unexpected(map.error());
  return map->places;
}

Result<std::vector<CacheClaim>> ReadCaches(int cpu,
                                           const std::optional<std::filesystem::path>& recorded) {
  if (recorded) return NoRecordings();
  const auto& map = ThisMachine();
  if (!map) return std::unexpected(map.error());
  std::vector<CacheClaim> caches;
  for (const ProcessorMap::Cache& cache : map->caches) {
    if (std::ranges::find(cache.cpus, cpu) != cache.cpus.end() && cache.claim.bytes > 0)
      caches.push_back(cache.claim);
  }
  std::ranges::sort(caches, {}, &CacheClaim::level);
  return caches;
}

}  // namespace cyclescope::os
