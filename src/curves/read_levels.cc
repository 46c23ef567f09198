#include "curves/read_levels.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "curves/clear_points.h"
#include "curves/step_fit.h"
#include "statistics/statistics.h"

namespace cyclescope::curves {
namespace {

// No core has more levels of stores of translations; what rises beyond are page tables.
constexpr std::size_t kMostStores = 2;

// Below this, a step that only doubtful points show is none: they lie apart by as much.
constexpr double kDoubtfulStepShare = 0.5;
// Points that make a plateau.
constexpr std::size_t kFewestPlateauPoints = 3;

FitPoint ToFitPoint(double bytes, const MemoryPoint& point) {
  return {bytes, point.cycles.value, DoubtOf(point)};
}

// Clear points with footprints from `from` to `to`.
std::size_t ClearBetween(const MemoryCurve& curve, double from, double to) {
  return static_cast<std::size_t>(
      std::ranges::count_if(curve.points, [from, to](const MemoryPoint& point) {
        const auto bytes = static_cast<double>(point.bytes);
        return IsClear(point) && from <= bytes && bytes <= to;
      }));
}

// The curve's latency at a footprint, between its points by the footprint's logarithm.
double CyclesAt(const MemoryCurve& curve, double bytes) {
  const auto& points = curve.points;
  const auto above = std::ranges::find_if(points, [bytes](const MemoryPoint& point) {
    return static_cast<double>(point.bytes) >= bytes;
  });
  if (above == points.end()) return points.back().cycles.value;
  if (above == points.begin()) return points.front().cycles.value;
  const MemoryPoint& left = *(above - 1);
  const double place =
      std::log(bytes / static_cast<double>(left.bytes)) /
      std::log(static_cast<double>(above->bytes) / static_cast<double>(left.bytes));
  return std::lerp(left.cycles.value, above->cycles.value, place);
}

// True if translation may be all of a step: what is known to be added near there, or, where that
// was not measured, not more than half of the latency before it. Tables of translations are far
// smaller than the footprint, so that looking them up does not take much longer than a load.
bool MayBeTranslation(const Step& step, double before,
                      const std::vector<TranslationLevel>& stores) {
  constexpr double kMaxTranslationRatio = 2;
  if (step.height > kMaxTranslationRatio * before) return false;
  if (stores.empty()) return step.height <= kDoubtfulStepShare * before;
  constexpr double kReachRatio = 3;
  constexpr double kTranslationShare = 0.5;
  double added = 0;
  for (const TranslationLevel& level : stores) {
    const double reach = level.reach.value * static_cast<double>(level.page_bytes);
    if (reach > step.bytes / kReachRatio && reach < step.bytes * kReachRatio)
      added += level.cycles.high;
  }
  return added >= kTranslationShare * step.height;
}

// True if lines visited page by page show a step of the curve in random order. A cache's step they
// show, if less of it the more the hardware fetches ahead; one that comes from translation they
// show as its 64th part (small pages) or less. Hardware that fetches whole pages hides nearly all
// of both.
bool Shows(const MemoryCurve& page_by_page, const Step& step, const MemoryCurve& random) {
  constexpr double kSideRatio = 3;
  if (ClearBetween(page_by_page, step.bytes / kSideRatio, step.bytes) == 0 ||
      ClearBetween(page_by_page, step.bytes, step.bytes * kSideRatio) == 0) {
    return false;
  }
  // Near to it, so that the next step is not taken for it.
  constexpr double kAroundStepRatio = 1.5;
  constexpr double kLeastShare = 0.15;
  const double from = step.bytes / kAroundStepRatio;
  const double to = step.bytes * kAroundStepRatio;
  const double all = CyclesAt(random, to) - CyclesAt(random, from);
  const double shown = CyclesAt(page_by_page, to) - CyclesAt(page_by_page, from);
  return all <= 0 || shown >= kLeastShare * all;
}

// True if single loads are answered by another level from about there on.
bool EndsTimedLevel(const Step& step, const std::vector<TimedLevel>& timed) {
  constexpr double kSameStepRatio = 1.5;
  return std::ranges::any_of(timed, [&](const TimedLevel& level) {
    return level.capacity && level.capacity->low < kSameStepRatio * step.bytes &&
           step.bytes < kSameStepRatio * level.capacity->high;
  });
}

// `before` is the latency before the step.
bool IsCacheStep(const Step& step, double before, const MemoryCurve& random,
                 const TranslationSigns& translation) {
  const MemoryCurve& page_by_page = translation.page_by_page;
  return page_by_page.points.empty() || EndsTimedLevel(step, translation.timed) ||
         Shows(page_by_page, step, random) || !MayBeTranslation(step, before, translation.stores);
}

// Where a curve has clearly left a level that takes `latency`: beyond `from` bytes. The level
// cannot be said to end only after that.
double LeftAt(const MemoryCurve& curve, double from, double latency) {
  constexpr double kLeftLevelRatio = 1.5;
  for (const MemoryPoint& point : curve.points) {
    const auto bytes = static_cast<double>(point.bytes);
    if (IsClear(point) && bytes > from && point.cycles.low > kLeftLevelRatio * latency)
      return bytes;
  }
  return std::numeric_limits<double>::infinity();
}

// How long a cycle is, over the whole curve: one for all levels, or one that was measured while the
// clock was slow would take longer than the next.
double NanosecondsPerCycle(const MemoryCurve& curve) {
  std::vector<double> ratios;
  for (const MemoryPoint& point : curve.points)
    ratios.push_back(point.nanoseconds.value / point.cycles.value);
  return statistics::Median(ratios);
}

double InterquartileRange(const std::vector<double>& values) {
  return statistics::Quantile(values, 0.75) - statistics::Quantile(values, 0.25);
}

// The footprint up to which all translations are at hand, as far as a level goes that begins at
// `from` bytes. Those of small pages count for huge ones, too: in a virtual machine they may be
// small ones below.
double TranslatedAtOnce(const std::vector<TranslationLevel>& stores, double from) {
  double least = std::numeric_limits<double>::infinity();
  for (const TranslationLevel& level : stores) {
    const double reach = level.reach.low * static_cast<double>(level.page_bytes);
    if (reach > from) least = std::min(least, reach);
  }
  return least;
}

// A level's latency from the points near to it: clear ones, where there are enough of them, and
// those for which no translation has to be looked up, likewise. What other levels and translation
// add to each of them, by the fit, is taken off, if they agree better then: a fit that is wrong
// about another level does not spoil this one. Where it is much for most of them, the fitted
// latency is all there is. The interval covers the median of these points at 95 %, each with its
// own interval; where there are too few points for that, it holds all of them. Of a level without
// such points, it holds what other fits that explain the curve nearly as well say. `from` and `to`
// are where the level lies.
MemoryLevel LevelOf(double fitted, const LatencyRange& range, const StepFit& fit,
                    const MemoryCurve& curve, double from, double to,
                    const std::vector<TranslationLevel>& stores) {
  constexpr double kOnLevelShare = 0.1;
  struct Near {
    const MemoryPoint* point;
    double others;
  };
  MemoryLevel level;
  level.contended = ClearBetween(curve, from, to) < kFewestPlateauPoints;
  std::vector<Near> near;
  for (const MemoryPoint& point : curve.points) {
    if (!level.contended && !IsClear(point)) continue;
    near.push_back({&point, fit.LatencyAt(static_cast<double>(point.bytes)) - fitted});
  }
  const auto distance = [](const Near& each) { return std::abs(each.others); };
  std::ranges::sort(near, {}, distance);
  const auto is_on_level = [&](const Near& each) {
    return distance(each) <= kOnLevelShare * fitted;
  };
  // Memory's first footprints are those that the last cache still answers some loads of.
  const bool is_last = std::isinf(to);
  const double at_once = is_last ? to : TranslatedAtOnce(stores, from);
  const auto is_best = [&](const Near& each) {
    return is_on_level(each) && static_cast<double>(each.point->bytes) <= at_once;
  };
  if (std::ranges::count_if(near, is_best) >= static_cast<std::ptrdiff_t>(kFewestPlateauPoints))
    std::erase_if(near, std::not_fn(is_best));
  const auto on_level = static_cast<std::size_t>(std::ranges::count_if(near, is_on_level));
  near.resize(std::min(near.size(), std::max(on_level, kFewestPlateauPoints)));
  std::vector<double> measured;
  std::vector<double> corrected;
  for (const auto& [point, others] : near) {
    measured.push_back(point->cycles.value);
    corrected.push_back(point->cycles.value - others);
  }
  const bool is_better = on_level < kFewestPlateauPoints ||
                         InterquartileRange(corrected) < InterquartileRange(measured);
  const std::vector<double>& values = is_better ? corrected : measured;
  std::vector<double> lows;
  std::vector<double> highs;
  for (const auto& [point, others] : near) {
    lows.push_back(point->cycles.low - (is_better ? others : 0));
    highs.push_back(point->cycles.high - (is_better ? others : 0));
  }
  // A thread that shares the core only adds time.
  const double place = level.contended ? 0.25 : 0.5;
  const double cycles =
      on_level < kFewestPlateauPoints ? fitted : statistics::Quantile(values, place);
  constexpr double kConfidence = 0.95;
  double low = std::min(cycles, statistics::MedianInterval(lows, kConfidence).low);
  double high = std::max(cycles, statistics::MedianInterval(highs, kConfidence).high);
  if (on_level < kFewestPlateauPoints) {
    low = std::min(low, range.low);
    high = std::max(high, range.high);
  }
  // Nothing takes less than no time, however much of it the other levels may have taken.
  low = std::min(cycles, std::max(low, 0.0));
  const double factor = NanosecondsPerCycle(curve);
  level.cycles = {cycles, low, high};
  level.nanoseconds = {cycles * factor, low * factor, high * factor};
  return level;
}

// What a level holds: where its step is, if clear points on both sides of it say so. Otherwise at
// least the largest footprint that was as fast, since a thread that shares the core only takes of
// it.
void SetCapacity(const Step& step, double left_at, const MemoryCurve& random,
                 const MemoryCurve& usable, MemoryLevel& level) {
  constexpr double kSideRatio = 2;
  const std::size_t before = ClearBetween(usable, step.bytes / kSideRatio, step.bytes);
  const std::size_t beyond = ClearBetween(usable, step.bytes, step.bytes * kSideRatio);
  if (before > 0 && beyond > 0 && before + beyond >= kFewestPlateauPoints) {
    const double low = std::min(step.bytes_low, left_at);
    // Where the level was left long before the step's middle, several steps run into each other
    // there, and it is not known which part of it is this level's.
    constexpr double kOneStepRatio = 3;
    const bool is_one = step.bytes < kOneStepRatio * low;
    level.capacity = {is_one ? step.bytes : std::sqrt(low * step.bytes_high), low, step.bytes_high};
    return;
  }
  constexpr double kSameLatencyRatio = 1.15;
  double holds = 0;
  for (const MemoryPoint& point : random.points) {
    const auto bytes = static_cast<double>(point.bytes);
    if (bytes < kSideRatio * step.bytes &&
        point.cycles.value < kSameLatencyRatio * level.cycles.value)
      holds = bytes;
  }
  level.capacity_at_least = true;
  level.capacity = {holds, holds, std::max(holds, step.bytes_high)};
}

// Where the level before a cache's step was clearly left: by the curve page by page, which has less
// noise, or, where that does not show it, by the curve in random order. That one has what
// translation adds, too.
double LeftAt(const Step& step, double from, double latency, const StepFit& fit,
              const MemoryCurve& random, const MemoryCurve& page_by_page) {
  if (Shows(page_by_page, step, random)) return LeftAt(page_by_page, from, latency);
  const auto index = std::ranges::lower_bound(fit.steps, step.bytes, {}, &Step::bytes);
  const double translated = fit.LatencyBefore(static_cast<std::size_t>(index - fit.steps.begin()));
  return LeftAt(random, from, std::max(latency, translated));
}

std::string NameOfLast(std::size_t caches, std::int64_t most_bytes,
                       const std::vector<os::CacheClaim>& claimed) {
  const bool all_seen = claimed.empty() || static_cast<int>(caches) >= claimed.back().level;
  if (all_seen || most_bytes >= 2 * claimed.back().bytes) return kMemory;
  return fmt::format("L{}{}", caches + 1, kOrMemory);
}

// How many caches there are the system knows: a step more may have other causes.
std::string NameOfCache(int number, const std::vector<os::CacheClaim>& claimed) {
  if (claimed.empty() || number <= claimed.back().level) return fmt::format("L{}", number);
  return fmt::format("beyond L{}", claimed.back().level);
}

// Which steps of the fit are caches'.
std::vector<bool> CacheSteps(const StepFit& fit, const MemoryCurve& random,
                             const TranslationSigns& translation,
                             const std::vector<os::CacheClaim>& claimed) {
  std::vector<bool> is_cache;
  for (std::size_t i = 0; i < fit.steps.size(); ++i)
    is_cache.push_back(IsCacheStep(fit.steps[i], fit.LatencyBefore(i), random, translation));
  // How many caches there are the system knows. Where one of them is missing, the highest step
  // beyond those that were found is the one to memory, though all of it might be translation: or
  // the last cache would be called memory.
  const bool is_one_missing = !claimed.empty() &&
                              random.points.back().bytes >= 2 * claimed.back().bytes &&
                              std::ranges::count(is_cache, true) < claimed.back().level;
  if (!is_one_missing) return is_cache;
  std::optional<std::size_t> highest;
  for (std::size_t i = fit.steps.size(); i > 0 && !is_cache[i - 1]; --i) {
    const bool is_high = fit.steps[i - 1].height > kDoubtfulStepShare * fit.LatencyBefore(i - 1);
    if (is_high && (!highest || fit.steps[i - 1].height > fit.steps[*highest].height))
      highest = i - 1;
  }
  if (highest) is_cache[*highest] = true;
  return is_cache;
}

// The caches' steps alone. What translation adds within a level is not in that level's latency, but
// in those beyond, up to the last: memory's latency is that of its first translated loads.
StepFit CachesOf(const StepFit& fit, const std::vector<bool>& is_cache) {
  StepFit caches;
  caches.first = fit.first;
  caches.ranges.push_back(fit.ranges.front());
  double translated = 0;
  for (std::size_t i = 0; i < fit.steps.size(); ++i) {
    const Step& step = fit.steps[i];
    if (!is_cache[i]) {
      translated += step.height;
      continue;
    }
    caches.steps.push_back(step);
    caches.steps.back().height += std::exchange(translated, 0);
    caches.ranges.push_back(fit.ranges[i + 1]);
  }
  return caches;
}

// True if clear points are on both sides of every step that is not high.
bool AreClear(const StepFit& fit, const MemoryCurve& curve) {
  for (std::size_t i = 0; i < fit.steps.size(); ++i) {
    const Step& step = fit.steps[i];
    if (step.height > kDoubtfulStepShare * fit.LatencyBefore(i)) continue;
    const double from = i == 0 ? 0 : fit.steps[i - 1].bytes;
    const double to = i + 1 == fit.steps.size() ? std::numeric_limits<double>::infinity()
                                                : fit.steps[i + 1].bytes;
    if (ClearBetween(curve, from, step.bytes) < kFewestPlateauPoints ||
        ClearBetween(curve, step.bytes, to) < kFewestPlateauPoints)
      return false;
  }
  return true;
}

StepFit FitCurve(const MemoryCurve& curve) {
  std::vector<FitPoint> points;
  for (const MemoryPoint& point : curve.points) {
    points.push_back(ToFitPoint(static_cast<double>(point.bytes), point));
  }
  StepFit fit = FitSteps(points, {});
  return AreClear(fit, curve) ? fit : FitSteps(points, {.least_height = kDoubtfulStepShare});
}

// The curve may end far above the last level, where translation may be all of the difference. How
// much of it really is cannot be told then.
void CoverPlateau(double plateau_cycles, MemoryLevel& last) {
  if (plateau_cycles <= (1 + kDoubtfulStepShare) * last.cycles.value) return;
  const double factor = last.nanoseconds.value / last.cycles.value;
  last.cycles.high = std::max(last.cycles.high, plateau_cycles);
  last.nanoseconds.high = last.cycles.high * factor;
}

}  // namespace

std::vector<MemoryLevel> ReadLevels(const MemoryCurve& random, const TranslationSigns& translation,
                                    const std::vector<os::CacheClaim>& claimed) {
  const MemoryCurve usable = UsableOf(random);
  if (usable.points.empty()) return {};
  const StepFit fit = FitCurve(usable);
  const MemoryCurve by_page = UsableOf(translation.page_by_page);
  const StepFit caches = CachesOf(
      fit, CacheSteps(
               fit, usable,
               {.page_by_page = by_page, .stores = translation.stores, .timed = translation.timed},
               claimed));
  std::vector<MemoryLevel> levels;
  for (std::size_t i = 0; i <= caches.steps.size(); ++i) {
    const Step* after = i == caches.steps.size() ? nullptr : &caches.steps[i];
    const double from = i == 0 ? 0 : caches.steps[i - 1].bytes;
    MemoryLevel level =
        LevelOf(caches.LatencyBefore(i), caches.ranges[i], fit, usable, from,
                after ? after->bytes : std::numeric_limits<double>::infinity(), translation.stores);
    // A step that its own points do not show is none, whatever explains the curve best.
    constexpr double kLeastRatio = 1.15;
    const bool is_higher =
        levels.empty() || level.cycles.value > kLeastRatio * levels.back().cycles.value;
    if (is_higher) levels.push_back(std::move(level));
    MemoryLevel& last = levels.back();
    last.capacity.reset();
    last.capacity_at_least = false;
    if (after) {
      const double left_at = LeftAt(*after, from, last.cycles.value, fit, usable, by_page);
      SetCapacity(*after, left_at, random, usable, last);
    }
  }
  CoverPlateau(fit.LatencyBefore(fit.steps.size()), levels.back());
  NameLevels(random.points.back().bytes, claimed, levels);
  return levels;
}

void NameLevels(std::int64_t most_bytes, const std::vector<os::CacheClaim>& claimed,
                std::vector<MemoryLevel>& levels) {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto number = static_cast<int>(i + 1);
    MemoryLevel& level = levels[i];
    const bool is_last = i + 1 == levels.size();
    level.name = is_last ? NameOfLast(i, most_bytes, claimed) : NameOfCache(number, claimed);
    const auto claim = std::ranges::find(claimed, number, &os::CacheClaim::level);
    level.claimed_bytes.reset();
    if (level.name != kMemory && claim != claimed.end()) level.claimed_bytes = claim->bytes;
  }
}

std::vector<TranslationLevel> ReadTranslation(const MemoryCurve& line_per_page,
                                              const MemoryCurve& random, int line_bytes) {
  const MemoryCurve usable = UsableOf(random);
  if (line_per_page.points.empty() || usable.points.empty()) return {};
  const double nearest = usable.points.front().cycles.value;
  const auto page_bytes = static_cast<double>(line_per_page.page_bytes);
  std::vector<FitPoint> points;
  for (const MemoryPoint& point : UsableOf(line_per_page).points) {
    // Its steps are small: what is not clear makes some of its own.
    if (!IsClear(point)) continue;
    const double pages = static_cast<double>(point.bytes) / page_bytes;
    const double lines_take = CyclesAt(usable, pages * line_bytes);
    FitPoint fit_point = ToFitPoint(pages, point);
    fit_point.latency = std::max(fit_point.latency - lines_take + nearest, nearest / 2);
    // How many lines fit into a cache depends on where they lie, by some percent.
    constexpr double kPlacementErrorShare = 0.05;
    fit_point.sigma = std::hypot(fit_point.sigma, kPlacementErrorShare * lines_take);
    points.push_back(fit_point);
  }
  std::vector<TranslationLevel> levels;
  for (const Step& step :
       FitSteps(points, {.least_height = 0.3, .least_ratio = 2.5, .least_plateau = 1.1}).steps) {
    // None holds more: beyond that, the page tables themselves leave caches.
    constexpr double kMostEntries = 8192;
    if (levels.size() == kMostStores || step.bytes > kMostEntries) break;
    TranslationLevel level;
    level.pages = line_per_page.pages;
    level.page_bytes = line_per_page.page_bytes;
    level.reach = {step.bytes, step.bytes_low, step.bytes_high};
    // The height's doubt is that of the points beyond. There may be none: of scattered pages half
    // the loads miss before there are as many as the store holds, and a step is seen by its half.
    std::vector<double> doubts;
    for (const FitPoint& point : points) {
      if (point.bytes > step.bytes) doubts.push_back(2 * point.sigma);
    }
    if (doubts.empty()) doubts.push_back(2 * points.back().sigma);
    const double doubt = statistics::Median(doubts);
    level.cycles = {step.height, std::max(step.height - doubt, 0.0), step.height + doubt};
    levels.push_back(level);
  }
  return levels;
}

void JudgeHugePages(std::vector<TranslationLevel>& levels) {
  std::vector<TranslationLevel> small = levels;
  std::erase_if(small,
                [](const TranslationLevel& level) { return level.pages == PageKind::kHuge; });
  for (TranslationLevel& huge : levels) {
    if (huge.pages != PageKind::kHuge) continue;
    const auto alike = std::ranges::find_if(small, [&huge](const TranslationLevel& each) {
      return each.reach.low <= huge.reach.high && huge.reach.low <= each.reach.high;
    });
    if (alike != small.end()) huge.split_bytes = alike->page_bytes;
  }
  if (small.size() == kMostStores) return;
  std::erase_if(levels, [](const TranslationLevel& level) {
    return level.pages == PageKind::kHuge && !level.split_bytes;
  });
}

}  // namespace cyclescope::curves
