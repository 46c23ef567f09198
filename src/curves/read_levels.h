// What curves tell: levels of caches with their latency and capacity, and stores of address
// translations. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "curves/load_times.h"
#include "cyclescope/result/memory.h"
#include "os/topology.h"

namespace cyclescope::curves {

// The name of what lies beyond all caches.
inline constexpr const char* kMemory = "memory";
// How the name of the last level ends where it may be the next cache or memory: "L3 or memory".
inline constexpr const char* kOrMemory = " or memory";

// What tells translation from caches. Without a curve page by page, every step is a cache's.
struct TranslationSigns {
  MemoryCurve page_by_page = {};
  std::vector<TranslationLevel> stores = {};  // empty: not measured
  std::vector<TimedLevel> timed = {};         // by single loads; empty: not measured
};

// `random` has all lines in random order. `claimed` is used for names and for comparison alone: it
// is asked how many caches there should be, so that a last level that the footprints did not
// outgrow is not called memory.
std::vector<MemoryLevel> ReadLevels(const MemoryCurve& random, const TranslationSigns& translation,
                                    const std::vector<os::CacheClaim>& claimed);

// L1, L2, ..., memory, and what the system says of each. `most_bytes` is the largest footprint.
void NameLevels(std::int64_t most_bytes, const std::vector<os::CacheClaim>& claimed,
                std::vector<MemoryLevel>& levels);

// Reads a curve of one line per page. What the lines themselves take, by `random`, is taken off.
std::vector<TranslationLevel> ReadTranslation(const MemoryCurve& line_per_page,
                                              const MemoryCurve& random, int line_bytes);

// On a virtual machine, whose host may map what the guest calls a huge page in small ones: marks
// stores that hold as many huge pages as small ones. Where not all stores were seen with small
// pages, nothing is said of the others.
void JudgeHugePages(std::vector<TranslationLevel>& levels);

}  // namespace cyclescope::curves
