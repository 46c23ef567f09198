#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analysis/compare_values.h"
#include "analysis/host_words.h"

namespace cyclescope {
namespace {

constexpr double kBytesPerKb = 1024;

// Where pages lie in memory decides how soon they compete for a cache, and the footprints of a
// curve are 6 to 40 % apart: how much runs differ, as a share.
constexpr double kCapacityBetweenRuns = 0.25;

const MemoryRow* FindRow(const Document& document, const MemoryRow& like) {
  const auto found = std::ranges::find_if(document.memory, [&](const MemoryRow& row) {
    return row.cpu == like.cpu && row.node == like.node;
  });
  return found == document.memory.end() ? nullptr : &*found;
}

// True if other cores use the cache, too, as far as the system says. Of the third and later ones in
// a virtual machine the host's other guests do.
bool IsShared(const Host& host, int cpu, std::size_t level) {
  if (level == 0) return false;
  const std::optional<int> CpuPlace::* cache = level == 1 ? &CpuPlace::l2 : &CpuPlace::l3;
  if (level >= 2 && IsVirtualMachine(host)) return true;
  const CpuPlace own = CpuPlaceOf(host.topology, cpu);
  if (!(own.*cache)) return level >= 2;
  return std::ranges::any_of(host.topology, [&](const CpuPlace& other) {
    return other.*cache == own.*cache && other.core != own.core;
  });
}

// The largest of the row's curves.
double ContendedShare(const MemoryRow& row) {
  double share = 0;
  for (const MemoryCurve& curve : row.curves) share = std::max(share, curve.contended_share);
  return share;
}

std::optional<ClaimCode> DoubtOf(const Document& document, const MemoryRow& row, std::size_t index,
                                 bool same_levels) {
  constexpr double kMaxIntervalRatio = 2;  // the upper end of the interval over the lower
  // Some visits while the core was shared are no harm: they do not count.
  constexpr double kMaxContendedShare = 0.1;
  const MemoryLevel& level = row.levels[index];
  if (row.partial) return ClaimCode::kCurveInterrupted;
  const bool is_unclear = level.contended || level.capacity_at_least;
  if (ContendedShare(row) > (is_unclear ? 0 : kMaxContendedShare))
    return ClaimCode::kCurveOfSharedCore;
  if (is_unclear) return ClaimCode::kLevelEndUnclear;
  if (level.by_single_loads || level.capacity->high > kMaxIntervalRatio * level.capacity->low)
    return ClaimCode::kLevelEndUnclear;
  if (!same_levels) return ClaimCode::kLevelCountDiffers;
  if (IsShared(document.host, row.cpu, index)) return ClaimCode::kCacheShared;
  return std::nullopt;
}

}  // namespace

std::vector<NamedEstimate> CapacitiesOf(const Document& document,
                                        std::span<const Document> documents) {
  std::vector<NamedEstimate> capacities;
  for (const MemoryRow& row : document.memory) {
    const bool same_levels = std::ranges::all_of(documents, [&row](const Document& other) {
      const MemoryRow* same = FindRow(other, row);
      return same == nullptr || same->levels.size() == row.levels.size();
    });
    const std::string node = row.node ? fmt::format(", node {}", *row.node) : "";
    for (std::size_t i = 0; i < row.levels.size(); ++i) {
      const std::optional<MemoryValue>& capacity = row.levels[i].capacity;
      if (!capacity) continue;
      constexpr double kDegrees = 4;  // what these intervals are made with is not in the document
      capacities.push_back(
          {.name = fmt::format("{} from CPU {}{}", row.levels[i].name, row.cpu, node),
           .estimate = {.value = capacity->value / kBytesPerKb,
                        .low = capacity->low / kBytesPerKb,
                        .high = capacity->high / kBytesPerKb,
                        .doubt = DoubtOf(document, row, i, same_levels),
                        .at_least = row.levels[i].capacity_at_least,
                        .systematic = kCapacityBetweenRuns * capacity->value / kBytesPerKb,
                        .degrees = kDegrees}});
    }
  }
  return capacities;
}

}  // namespace cyclescope
