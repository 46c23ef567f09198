// Findings about caches and memory in words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cyclescope/result/claim.h"
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

// "the system says L2 2 MB, and this curve shows 1.2 MB of it: ..."
Claim ClaimOf(const MemoryFinding& finding);
std::string FindingText(const MemoryFinding& finding);

Claim ClaimOf(const TranslationLevel& level);

// Why values of the row are marked as not clear; unset where none is.
std::optional<Claim> WhyNotClear(const MemoryRow& row);

// What is said of the row besides its findings.
std::vector<Claim> ClaimsOf(const MemoryRow& row);

}  // namespace cyclescope
