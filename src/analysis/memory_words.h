// Findings about caches and memory in words.
#pragma once

#include <string>

#include "cyclescope/result/memory.h"

namespace cyclescope {

// A level as tables show it: "16~" where the core was shared, "≥ 362 KB" where it may hold more.
struct LevelTexts {
  std::string cycles;
  std::string cycles_interval;
  std::string nanoseconds;
  std::string holds;
  std::string holds_interval;
  std::string claimed;
};

LevelTexts TextsOf(const MemoryLevel& level);

// "L2 ends at 1.2 MB, the system says 2 MB: ..."
std::string FindingText(const MemoryFinding& finding);

}  // namespace cyclescope
