#include "analysis/memory_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/claims.h"
#include "base/byte_size.h"
#include "cyclescope/result/names.h"

namespace cyclescope {

LevelTexts TextsOf(const MemoryLevel& level) {
  const char* mark = level.contended ? "~" : "";
  LevelTexts texts;
  texts.cycles = fmt::format("{:.3g}{}", level.cycles.value, mark);
  texts.cycles_interval = fmt::format("{:.3g} – {:.3g}", level.cycles.low, level.cycles.high);
  texts.nanoseconds = fmt::format("{:.3g}{}", level.nanoseconds.value, mark);
  if (level.capacity) {
    const MemoryValue& capacity = *level.capacity;
    texts.holds = (level.capacity_at_least ? "≥ " : "") + FormatBytes(capacity.value);
    if (!level.capacity_at_least)
      texts.holds_interval =
          fmt::format("{} – {}", FormatBytes(capacity.low), FormatBytes(capacity.high));
  }
  if (level.claimed_bytes) texts.claimed = FormatBytes(static_cast<double>(*level.claimed_bytes));
  return texts;
}

Claim ClaimOf(const MemoryFinding& finding) {
  constexpr auto kCodes =
      std::to_array({ClaimCode::kSmallerCache, ClaimCode::kLargerCache, ClaimCode::kNoSuchCache,
                     ClaimCode::kUnknownCache, ClaimCode::kEarlyMemory});
  static_assert(kCodes.size() == NamesOf(MemoryFindingKind{}).size());
  Claim claim{kCodes[static_cast<std::size_t>(finding.kind)], {{"level", finding.level}}};
  if (finding.found_bytes) claim.figures.emplace_back("found", *finding.found_bytes);
  if (finding.claimed_bytes)
    claim.figures.emplace_back("claimed", static_cast<double>(*finding.claimed_bytes));
  if (finding.memory_ns) claim.figures.emplace_back("ns", *finding.memory_ns);
  return claim;
}

std::string FindingText(const MemoryFinding& finding) { return Sentence(ClaimOf(finding)); }

std::optional<Claim> WhyNotClear(const MemoryRow& row) {
  const auto has_contended = [](const MemoryCurve& curve) {
    return std::ranges::any_of(curve.points, &MemoryPoint::contended);
  };
  const bool any_at_least = std::ranges::any_of(row.levels, &MemoryLevel::capacity_at_least);
  const bool any_level = any_at_least || std::ranges::any_of(row.levels, &MemoryLevel::contended);
  const bool any_rate = std::ranges::any_of(row.bandwidth, &MemoryBandwidth::contended);
  const bool any_access = std::ranges::any_of(row.accesses, [](const MemoryAccess& access) {
    return access.cycles && access.cycles->contended;
  });
  const bool any_point = std::ranges::any_of(row.curves, has_contended);
  if (!any_level && !any_rate && !any_access && !any_point) return std::nullopt;
  double share = 0;
  for (const MemoryCurve& curve : row.curves) share = std::max(share, curve.contended_share);
  // Bandwidth and accesses have probes of their own. Points are marked without any contended visit
  // only where no probe can be trusted.
  const bool was_shared = share > 0 || (!any_point && (any_rate || any_access));
  Claim claim{was_shared  ? ClaimCode::kCoreWasShared
              : any_point ? ClaimCode::kSharingUnknown
                          : ClaimCode::kTooFewVisits,
              {}};
  // "in up to 0 % of the visits" says nothing.
  constexpr double kLeastToldShare = 0.005;
  if (share >= kLeastToldShare) claim.figures.emplace_back("share", 100 * share);
  if (any_level || any_access || any_point) claim.figures.emplace_back("loads", "loads");
  if (any_rate) claim.figures.emplace_back("rates", "rates");
  if (any_at_least) claim.figures.emplace_back("level", "level");
  return claim;
}

Claim ClaimOf(const TranslationLevel& level) {
  Claim claim = {ClaimCode::kTranslationReach,
                 {{"page", static_cast<double>(level.page_bytes)},
                  {"entries", level.reach.value},
                  {"low", level.reach.low},
                  {"high", level.reach.high},
                  {"reach", level.reach.value * static_cast<double>(level.page_bytes)},
                  {"cycles", level.cycles.value}}};
  if (level.split_bytes) {
    const auto part = static_cast<double>(*level.split_bytes);
    claim.code = ClaimCode::kSplitTranslation;
    claim.figures.emplace_back("part", part);
    claim.figures.emplace_back("least_reach", level.reach.value * part);
  }
  return claim;
}

std::vector<Claim> ClaimsOf(const MemoryRow& row) {
  std::vector<Claim> claims;
  for (const MemoryLevel& level : row.levels) {
    if (level.by_single_loads)
      claims.push_back({ClaimCode::kSeenBySingleLoads, {{"level", level.name}}});
  }
  if (row.no_plateau) {
    const MemoryGap& gap = *row.no_plateau;
    claims.push_back({ClaimCode::kNoPlateau,
                      {{"from", static_cast<double>(gap.from_bytes)},
                       {"least", gap.cycles.low},
                       {"most", gap.cycles.high}}});
  }
  if (auto why = WhyNotClear(row)) claims.push_back(std::move(*why));
  for (const TranslationLevel& level : row.translation) claims.push_back(ClaimOf(level));
  if (row.swapped_bytes > 0)
    claims.push_back(
        {ClaimCode::kSwappedOut, {{"swapped", static_cast<double>(row.swapped_bytes)}}});
  return claims;
}

}  // namespace cyclescope
