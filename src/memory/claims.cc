#include "memory/claims.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <string>

#include "curves/clear_points.h"
#include "curves/read_levels.h"

namespace cyclescope::memory {

std::optional<double> MemoryBegin(const std::vector<MemoryLevel>& levels,
                                  const MemoryCurve& random) {
  constexpr double kSameSizeRatio = 0.8;
  if (levels.empty() || levels.back().name != curves::kMemory || levels.back().contended)
    return std::nullopt;
  std::optional<double> begin;
  for (const MemoryPoint& point : random.points | std::views::reverse) {
    if (!curves::IsClear(point)) continue;
    const double least = kSameSizeRatio * levels.back().cycles.value;
    if (point.cycles.value < least) break;
    // Of three visits, one may have found all in the cache: such a point says nothing by itself.
    if (point.cycles.low >= least) begin = static_cast<double>(point.bytes);
  }
  return begin;
}

std::optional<MemoryGap> TakeUnknownLevel(const MemoryCurve& random,
                                          std::vector<MemoryLevel>& levels) {
  constexpr double kMaxIntervalRatio = 2;  // the upper end of the interval over the lower
  if (random.points.empty()) return std::nullopt;
  const auto is_unknown = [&](const MemoryLevel& level) {
    const bool may_be_cache = level.name != curves::kMemory;
    const bool may_be_memory = &level != &levels.front() || level.name.ends_with(curves::kOrMemory);
    return may_be_cache && may_be_memory &&
           level.cycles.high > kMaxIntervalRatio * level.cycles.low;
  };
  const auto first = std::ranges::find_if(levels, is_unknown);
  if (first == levels.end()) return std::nullopt;
  MemoryGap gap = {.from_bytes = random.points.front().bytes, .cycles = first->cycles};
  // What the level before holds at the least is its own.
  if (first != levels.begin()) {
    if (const auto& held = std::prev(first)->capacity)
      gap.from_bytes = static_cast<std::int64_t>(held->value);
  }
  // Those behind it are as little known, up to the next that is.
  const auto known = std::ranges::find_if_not(first, levels.end(), is_unknown);
  for (const MemoryLevel& level : std::ranges::subrange(first, known)) {
    gap.cycles.low = std::min(gap.cycles.low, level.cycles.low);
    gap.cycles.high = std::max(gap.cycles.high, level.cycles.high);
  }
  levels.erase(first, known);
  return gap;
}

std::vector<MemoryFinding> CompareWithClaims(const std::vector<MemoryLevel>& levels,
                                             const MemoryCurve& random,
                                             const std::vector<os::CacheClaim>& claimed) {
  if (claimed.empty() || random.points.empty()) return {};
  const bool all_clear = std::ranges::none_of(levels, &MemoryLevel::contended);
  // A neighbour's share, prefetched lines and code take a little of every cache.
  constexpr double kTolerance = 0.2;
  const auto is_less = [](double found, std::int64_t claim) {
    return found < (1 - kTolerance) * static_cast<double>(claim);
  };
  std::vector<MemoryFinding> findings;
  const auto add = [&](MemoryFindingKind kind, const std::string& level,
                       std::optional<double> found,
                       std::optional<std::int64_t> claim) -> MemoryFinding& {
    return findings.emplace_back(
        MemoryFinding{.kind = kind, .level = level, .found_bytes = found, .claimed_bytes = claim});
  };
  // Where the curve shows fewer caches than the system lists, two of them are one step, and where
  // that ends says nothing about the first.
  const bool shows_all = levels.size() > claimed.size();
  const std::optional<double> memory_begin = MemoryBegin(levels, random);
  std::int64_t before = 0;  // an exclusive cache adds to the one before it
  for (const os::CacheClaim& claim : claimed) {
    const std::string name = fmt::format("L{}", claim.level);
    // "L3" or "L3 or memory"
    const auto level = std::ranges::find_if(levels, [&name](const MemoryLevel& each) {
      return each.name == name || each.name.starts_with(name + ' ');
    });
    const bool is_last = &claim == &claimed.back();
    if (is_last && memory_begin && is_less(*memory_begin, claim.bytes)) {
      add(MemoryFindingKind::kEarlyMemory, name, memory_begin, claim.bytes).memory_ns =
          levels.back().nanoseconds.value;
    } else if (level != levels.end() && level->capacity) {
      const MemoryValue& found = *level->capacity;
      if (!level->capacity_at_least && !level->contended && is_less(found.high, claim.bytes)) {
        add(MemoryFindingKind::kSmallerCache, name, found.value, claim.bytes);
      } else if (shows_all && !level->contended &&
                 found.low > (1 + kTolerance) * static_cast<double>(claim.bytes + before)) {
        add(MemoryFindingKind::kLargerCache, name, found.value, claim.bytes);
      }
    } else if (all_clear && level == levels.end() &&
               random.points.back().bytes >= 2 * claim.bytes) {
      add(MemoryFindingKind::kNoSuchCache, name, std::nullopt, claim.bytes);
    }
    before = claim.bytes;
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (all_clear && levels[i].capacity && !levels[i].capacity_at_least &&
        static_cast<int>(i) >= claimed.back().level)
      add(MemoryFindingKind::kUnknownCache, levels[i].name, levels[i].capacity->value,
          std::nullopt);
  }
  return findings;
}

}  // namespace cyclescope::memory
