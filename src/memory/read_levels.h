// What curves tell: levels of caches with their latency and capacity, and stores of address
// translations. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "os/topology.h"
#include "result/memory.h"

namespace cyclescope::memory {

// `random` has all lines in random order. Its steps that `page_by_page` does not have come from
// translation, and are no caches; where there is no such curve (it has no points), all are.
// `claimed` is used for names and for comparison alone: it is asked how many caches there should
// be, so that a last level that the footprints did not outgrow is not called memory.
std::vector<MemoryLevel> ReadLevels(const MemoryCurve& random, const MemoryCurve& page_by_page,
                                    const std::vector<os::CacheClaim>& claimed);

// Reads a curve of one line per page. What the lines themselves take, by `random`, is taken off.
std::vector<TranslationLevel> ReadTranslation(const MemoryCurve& line_per_page,
                                              const MemoryCurve& random, int line_bytes);

// Where levels and what the system claims differ by more than is in doubt.
std::vector<MemoryFinding> CompareWithClaims(const std::vector<MemoryLevel>& levels,
                                             const std::vector<os::CacheClaim>& claimed,
                                             std::int64_t most_bytes);

}  // namespace cyclescope::memory
