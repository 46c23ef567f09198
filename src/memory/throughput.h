// More than latency: how many loads are under way at once, how much passes in a second, and what a
// load takes while others read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/work.h"
#include "cyclescope/base/error.h"
#include "cyclescope/result/memory.h"
#include "memory/chase_source.h"
#include "memory/gauge.h"
#include "os/cpus.h"
#include "os/topology.h"

namespace cyclescope::memory {

// A footprint that lies in one level.
struct LevelFootprint {
  std::string level;
  std::int64_t bytes = 0;
  int sharing = 1;  // CPUs that have this level together
};

// One for each level: well within what it holds, and well beyond what the one before holds. Memory
// gets `most_bytes`.
std::vector<LevelFootprint> FootprintsOf(const std::vector<MemoryLevel>& levels,
                                         std::int64_t most_bytes,
                                         const std::vector<os::CacheClaim>& claimed = {});

// What each of several CPUs may go through at once so that all of it lies in the level; unset where
// that is so little that it lies in the one before.
std::optional<std::int64_t> BytesOfEach(const std::vector<LevelFootprint>& footprints,
                                        std::size_t index, std::size_t cpus,
                                        std::int64_t most_bytes_each);

struct ThroughputSettings {
  int cpu = 0;           // the gauge's
  os::CpuList all_cpus;  // for the bandwidth of all, and to load memory
  std::vector<std::string> features;
  PageKind pages = PageKind::kSmall;
  std::optional<int> node;
  std::int64_t most_bytes = 0;   // of memory for one CPU
  std::int64_t limit_bytes = 0;  // and for all together
  double confidence = 0.95;
  int visits = 5;
};

// All of these end early with what there is when `goes_on` says no.
Result<std::vector<MemoryParallelism>> MeasureParallelism(
    Gauge& gauge, ChaseSource& source, const std::vector<LevelFootprint>& footprints,
    const ThroughputSettings& settings, const GoesOn& goes_on);

// Measures on the gauge's CPU alone, and on all where there are more.
Result<std::vector<MemoryBandwidth>> MeasureBandwidth(Gauge& gauge,
                                                      const std::vector<LevelFootprint>& footprints,
                                                      const ThroughputSettings& settings,
                                                      const GoesOn& goes_on);

// Empty where there is no other CPU.
Result<std::vector<LoadedLatency>> MeasureLoadedLatency(Gauge& gauge,
                                                        const ThroughputSettings& settings,
                                                        const GoesOn& goes_on);

// Memory of each node, from the gauge's CPU.
Result<std::vector<MemoryPlace>> MeasurePlaces(Gauge& gauge, const std::vector<int>& nodes,
                                               const ThroughputSettings& settings,
                                               const GoesOn& goes_on);

}  // namespace cyclescope::memory
