#include "anatomy/branch_targets.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace cyclescope::anatomy {
namespace {

// Ends of plateaus that are this near, in bytes, are one end.
constexpr double kSameEndRatio = 1.15;
// A structure that is full only at this many times its size has shown a rise before.
constexpr double kLongestRise = 2;
// Levels whose jumps take as long within this factor are one level.
constexpr double kSameCycles = 1.2;
// What the cache costs beyond its size varies with how its misses overlap, by up to this factor.
constexpr double kMaxCacheCostRatio = 2;

// Lines of the next cache are fetched ahead of the jumps, so that the first that are missed cost
// nothing: the rise begins later than the cache ends, by no more than this ratio.
constexpr double kMostHiddenRatio = 1.25;

// No core has a smaller or larger first cache of code: what ends outside is something else.
constexpr double kFewestCacheBytes = 8 << 10;
constexpr double kMostCacheBytes = 256 << 10;

bool MayBeCache(double bytes) { return kFewestCacheBytes <= bytes && bytes <= kMostCacheBytes; }

double BytesOf(const JumpCurve& curve, double jumps) {
  return jumps * static_cast<double>(curve.stride);
}

// A plateau that something ends, in jumps of one stride.
struct End {
  std::int64_t stride = 0;
  SizeRange jumps;
  std::optional<double> hidden = {};  // jumps from which on it may have been missed unseen
  double height = 0;                  // what a jump takes more on the next plateau
  bool shared = false;

  double bytes() const { return jumps.value * static_cast<double>(stride); }
  // A rise whose begin or end is vague does not make it anything.
  double low_bytes() const {
    return std::max(jumps.low, jumps.value / kSameEndRatio) * static_cast<double>(stride);
  }
  double hidden_bytes() const {
    return std::max(hidden.value_or(jumps.value), jumps.value / kMostHiddenRatio) *
           static_cast<double>(stride);
  }
  double high_bytes() const {
    return std::min(jumps.high, kLongestRise * jumps.value) * static_cast<double>(stride);
  }
};

// True if two ends can be one, in bytes.
bool IsSameEnd(const End& a, const End& b) {
  return std::max(a.low_bytes(), b.low_bytes()) <=
         std::min(a.high_bytes(), b.high_bytes()) * kSameEndRatio;
}

std::vector<End> EndsOf(const JumpCurve& curve) {
  std::vector<End> ends;
  const std::vector<Plateau>& plateaus = curve.curve.plateaus;
  for (std::size_t i = 0; i + 1 < plateaus.size(); ++i) {
    ends.push_back({curve.stride, RangeOf(plateaus[i]), plateaus[i].hidden_end,
                    plateaus[i + 1].value - plateaus[i].value, plateaus[i].shared});
  }
  return ends;
}

// The smallest end that several strides share in bytes, while they differ in jumps.
std::optional<CodeCache> FindCache(std::span<const JumpCurve> curves) {
  std::vector<End> ends;
  for (const JumpCurve& curve : curves) {
    if (curve.stride < kLineBytes) continue;
    std::ranges::copy(EndsOf(curve), std::back_inserter(ends));
  }
  std::ranges::sort(ends, {}, &End::bytes);
  std::vector<End> best;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    std::vector<End> same;
    for (std::size_t k = i; k < ends.size(); ++k) {
      const bool is_new =
          std::ranges::none_of(same, [&](const End& end) { return end.stride == ends[k].stride; });
      if (is_new && IsSameEnd(ends[i], ends[k])) same.push_back(ends[k]);
    }
    // Larger caches may end at the same bytes, too: the first is the smallest.
    if (best.size() < 2 && same.size() >= 2 && MayBeCache(ends[i].bytes())) best = same;
  }
  if (best.size() < 2) return std::nullopt;
  // The one in the middle: where two structures end near each other, some strides show them as one.
  std::ranges::sort(best, {}, &End::bytes);
  const End& middle = best[best.size() / 2];
  CodeCache cache = {{middle.bytes(), middle.low_bytes(), middle.high_bytes()},
                     std::ranges::min(best, {}, &End::height).height,
                     std::ranges::any_of(best, &End::shared)};
  // Where strides differ, the cache is somewhere between them.
  for (const End& end : best) {
    cache.bytes.low = std::min({cache.bytes.low, end.bytes(), end.hidden_bytes()});
    cache.bytes.high = std::max(cache.bytes.high, std::min(end.bytes(), end.high_bytes()));
  }
  return cache;
}

bool IsNear(double a, double b, double factor) { return a <= b * factor && b <= a * factor; }

// True if the step between two plateaus is what the cache costs.
bool IsOfCache(const CodeCache& cache, const JumpCurve& curve, const Plateau& from,
               const Plateau& to) {
  const auto stride = static_cast<double>(curve.stride);
  const End end = {curve.stride, RangeOf(from)};
  const End of_cache = {1, cache.bytes};
  if (!IsSameEnd(end, of_cache)) return false;
  const double share = std::min(stride / static_cast<double>(kLineBytes), 1.0);
  return to.value - from.value <= kMaxCacheCostRatio * share * cache.cycles_per_line;
}

// True if what ends a plateau may be the cache: where none is known and another plateau follows, as
// behind a cache, by the bytes alone; behind the last plateau by what the first jumps beyond it
// cost.
bool MayEndWithCache(const std::optional<CodeCache>& cache, const JumpCurve& curve,
                     const Plateau& plateau, bool is_last) {
  if (!plateau.first_beyond_at) return false;
  if (!cache) return !is_last && MayBeCache(BytesOf(curve, plateau.end_at));
  if (!is_last) return false;
  const auto beyond =
      std::ranges::find(curve.curve.points, *plateau.first_beyond_at, &CurvePoint::at);
  if (beyond == curve.curve.points.end()) return false;
  Plateau next;
  next.value = beyond->value;
  return IsOfCache(*cache, curve, plateau, next);
}

bool LiesBeyond(const CodeCache& cache, const JumpCurve& curve, double jumps) {
  return BytesOf(curve, jumps) > cache.bytes.value * kSameEndRatio;
}

// True if the cache ends within the rise to a plateau, so that what jumps of less than a line take
// for their lines there is a part of all that cannot be told.
bool HidesEndOfCache(const CodeCache& cache, const JumpCurve& curve, std::size_t place) {
  const std::vector<Plateau>& plateaus = curve.curve.plateaus;
  return LiesBeyond(cache, curve, plateaus[place].first_at) &&
         (place == 0 || !LiesBeyond(cache, curve, plateaus[place - 1].end_at));
}

// The levels that jumps of one stride show.
std::vector<TargetLevel> LevelsOf(const JumpCurve& curve, const std::optional<CodeCache>& cache) {
  std::vector<TargetLevel> levels;
  const std::vector<Plateau>& plateaus = curve.curve.plateaus;
  double of_cache = 0;   // what a jump takes for the cache
  bool goes_on = false;  // this plateau is the last level, beyond the cache
  for (std::size_t i = 0; i < plateaus.size(); ++i) {
    const Plateau& plateau = plateaus[i];
    const bool is_last = i + 1 == plateaus.size();
    // Jumps of a line and more wait for their lines there, whatever the buffers hold.
    if (cache && curve.stride >= kLineBytes && LiesBeyond(*cache, curve, plateau.first_at)) break;
    const bool is_cache_next =
        !is_last && cache && IsOfCache(*cache, curve, plateau, plateaus[i + 1]);
    if (!goes_on && !is_cache_next && IsPieceOfRise(plateaus, i)) continue;
    if (goes_on) {
      of_cache = plateau.value - levels.back().cycles;
      levels.back().entries = RangeOf(plateau);
    } else {
      levels.push_back({RangeOf(plateau), plateau.value - of_cache, plateau.error, curve.stride,
                        false, plateau.shared});
    }
    if (!goes_on && cache && HidesEndOfCache(*cache, curve, i)) {
      levels.back().at_least = true;
      break;
    }
    goes_on = false;
    if (!is_cache_next && MayEndWithCache(cache, curve, plateau, is_last)) {
      levels.back().at_least = true;
      levels.back().may_end_with_cache = true;
      break;
    }
    if (is_last) {
      // Where it lasts as long as the jumps do, more of them may fit; or it is what a jump takes
      // that no buffer holds.
      levels.back().at_least = !plateau.first_beyond_at;
    } else if (is_cache_next) {
      goes_on = curve.stride < kLineBytes;
      // Beyond the cache every jump waits for its line, whatever the buffers hold.
      levels.back().at_least = !goes_on;
      if (!goes_on) break;
    }
  }
  return levels;
}

}  // namespace

JumpReading ReadJumps(std::span<const JumpCurve> all_curves) {
  // Curves that were measured while the core was ours, if they are enough to tell a cache from
  // buffers: beside another thread the same structures have other sizes.
  constexpr std::size_t kMinQuietStrides = 3;
  std::vector<JumpCurve> curves;
  for (const JumpCurve& curve : all_curves) {
    if (std::ranges::none_of(curve.curve.plateaus, &Plateau::shared)) curves.push_back(curve);
  }
  if (curves.size() < kMinQuietStrides) curves.assign(all_curves.begin(), all_curves.end());
  JumpReading reading;
  reading.cache = FindCache(curves);
  std::vector<TargetLevel> all;
  for (const JumpCurve& curve : curves)
    std::ranges::copy(LevelsOf(curve, reading.cache), std::back_inserter(all));
  std::ranges::sort(all, {}, &TargetLevel::cycles);
  std::vector<TargetLevel> levels;
  for (const TargetLevel& level : all) {
    if (levels.empty() || !IsNear(levels.back().cycles, level.cycles, kSameCycles)) {
      levels.push_back(level);
      continue;
    }
    // One level by two strides: the one that sees more of it tells its size.
    TargetLevel& known = levels.back();
    const double cycles = known.cycles;
    const bool shared = known.shared || level.shared;
    // The same number of jumps at two strides is no number of bytes.
    const bool is_no_cache = known.may_end_with_cache && level.may_end_with_cache &&
                             known.stride != level.stride &&
                             IsNear(known.entries.value, level.entries.value, kSameEndRatio);
    if (level.entries.value > known.entries.value) known = level;
    known.cycles = cycles;
    known.shared = shared;
    if (is_no_cache) known.at_least = known.may_end_with_cache = false;
  }
  for (const TargetLevel& level : levels) {
    // A slower level that holds no more than a faster one is one of its stride, not of the core.
    const bool holds_more =
        reading.targets.empty() ||
        level.entries.value > reading.targets.back().entries.value * kSameEndRatio;
    if (holds_more) reading.targets.push_back(level);
  }
  // The slowest level is the jumps that no buffer holds, unless only one was seen.
  if (reading.targets.size() > 1 && reading.targets.back().at_least &&
      !reading.targets.back().may_end_with_cache)
    reading.targets.pop_back();
  return reading;
}

}  // namespace cyclescope::anatomy
