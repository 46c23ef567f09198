// What curves tell: levels of caches with their latency and capacity, and stores of address
// translations. Pure functions.
#pragma once

#include <optional>
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

// The footprint from which on loads take about as long as from memory; unset where memory was not
// reached.
std::optional<double> MemoryBegin(const std::vector<MemoryLevel>& levels,
                                  const MemoryCurve& random);

// Where levels, and the curve that they were read from, differ from what the system claims by more
// than is in doubt.
std::vector<MemoryFinding> CompareWithClaims(const std::vector<MemoryLevel>& levels,
                                             const MemoryCurve& random,
                                             const std::vector<os::CacheClaim>& claimed);

}  // namespace cyclescope::memory
