// What the system says of its caches, and where the curves contradict it. Pure functions.
#pragma once

#include <optional>
#include <vector>

#include "cyclescope/result/memory.h"
#include "os/topology.h"

namespace cyclescope::memory {

// The footprint from which on loads take about as long as from memory; unset where memory was not
// reached.
std::optional<double> MemoryBegin(const std::vector<MemoryLevel>& levels,
                                  const MemoryCurve& random);

// Takes a level away where nothing is known of it: neither whether it is a cache or memory, nor how
// long a load takes, to a factor of two. The first cache and memory are known for what they are.
std::optional<MemoryGap> TakeUnknownLevel(const MemoryCurve& random,
                                          std::vector<MemoryLevel>& levels);

// Where levels, and the curve that they were read from, differ from what the system claims by more
// than is in doubt.
std::vector<MemoryFinding> CompareWithClaims(const std::vector<MemoryLevel>& levels,
                                             const MemoryCurve& random,
                                             const std::vector<os::CacheClaim>& claimed);

}  // namespace cyclescope::memory
