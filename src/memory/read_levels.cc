#include "memory/read_levels.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "measure/statistics.h"
#include "memory/step_fit.h"
#include "memory/values.h"

namespace cyclescope::memory {
namespace {

constexpr const char* kMemory = "memory";

FitPoint ToFitPoint(double bytes, const MemoryPoint& point) {
  // One visit says nothing of its error. On a busy Emerald Rapids, footprints of one level that
  // were visited once lay apart by so much, and made levels that there are not.
  constexpr double kOneVisit = 0.15;
  const double error = ErrorOf(point.cycles, point.visits);
  return {bytes, point.cycles.value,
          point.visits > 1 ? error : std::max(error, kOneVisit * point.cycles.value)};
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

// Whether a step of the curve in random order is a cache's: then lines visited page by page show
// it, too. They show the less of it the more the hardware fetches ahead, but a step that comes from
// translation they show as its 64th part (small pages) or less.
bool IsCacheStep(const Step& step, const MemoryCurve& random, const MemoryCurve& page_by_page) {
  if (page_by_page.points.empty()) return true;
  // Near to it, so that the next step is not taken for it.
  constexpr double kAround = 1.5;
  constexpr double kLeastShare = 0.15;
  const double from = step.bytes / kAround;
  const double to = step.bytes * kAround;
  const double all = CyclesAt(random, to) - CyclesAt(random, from);
  const double shown = CyclesAt(page_by_page, to) - CyclesAt(page_by_page, from);
  return all <= 0 || shown >= kLeastShare * all;
}

// Where the curve page by page, which has less noise, has clearly left a level: beyond `from`
// bytes. A level cannot be said to end only after that.
double LeftAt(const MemoryCurve& page_by_page, double from, double latency) {
  constexpr double kClearly = 1.5;
  for (const MemoryPoint& point : page_by_page.points) {
    const auto bytes = static_cast<double>(point.bytes);
    if (bytes > from && point.cycles.low > kClearly * latency) return bytes;
  }
  return std::numeric_limits<double>::infinity();
}

// A level's latency from the points near to it. What other levels and translation add to each of
// them, by the fit, is taken off; where that is much for most of them, the fitted latency is all
// there is. The interval covers the middle half of these points, with their intervals; of a level
// without such points, what other fits that explain the curve nearly as well say.
MemoryLevel LevelOf(double fitted, const LatencyRange& range, const StepFit& fit,
                    const MemoryCurve& curve) {
  constexpr double kMostOthers = 0.05;
  constexpr std::size_t kFewest = 3;
  struct Near {
    const MemoryPoint* point;
    double others;
  };
  std::vector<Near> near;
  for (const MemoryPoint& point : curve.points) {
    near.push_back({&point, fit.LatencyAt(static_cast<double>(point.bytes)) - fitted});
  }
  const auto distance = [](const Near& each) { return std::abs(each.others); };
  std::ranges::sort(near, {}, distance);
  const auto on_level = static_cast<std::size_t>(std::ranges::count_if(
      near, [&](const Near& each) { return distance(each) <= kMostOthers * fitted; }));
  near.resize(std::min(near.size(), std::max(on_level, kFewest)));
  std::vector<double> values;
  std::vector<double> lows;
  std::vector<double> highs;
  std::vector<double> ns_per_cycle;
  for (const auto& [point, others] : near) {
    values.push_back(point->cycles.value - others);
    lows.push_back(point->cycles.low - others);
    highs.push_back(point->cycles.high - others);
    ns_per_cycle.push_back(point->nanoseconds.value / point->cycles.value);
  }
  const double cycles = on_level < kFewest ? fitted : measure::Median(values);
  double low = std::min(cycles, measure::Quantile(lows, 0.25));
  double high = std::max(cycles, measure::Quantile(highs, 0.75));
  if (on_level < kFewest) {
    low = std::min(low, range.low);
    high = std::max(high, range.high);
  }
  const double factor = measure::Median(ns_per_cycle);
  MemoryLevel level;
  level.cycles = {cycles, low, high};
  level.nanoseconds = {cycles * factor, low * factor, high * factor};
  return level;
}

std::string NameOfLast(std::size_t caches, std::int64_t most_bytes,
                       const std::vector<os::CacheClaim>& claimed) {
  const bool all_seen = claimed.empty() || static_cast<int>(caches) >= claimed.back().level;
  if (all_seen || most_bytes >= 2 * claimed.back().bytes) return kMemory;
  return fmt::format("L{} or memory", caches + 1);
}

// The caches' steps alone. What translation adds within a level is not in that level's latency, but
// in those beyond, up to the last: memory's latency is that of its first translated loads.
StepFit CachesOf(const StepFit& fit, const MemoryCurve& random, const MemoryCurve& page_by_page) {
  StepFit caches;
  caches.first = fit.first;
  caches.ranges.push_back(fit.ranges.front());
  double translation = 0;
  for (std::size_t i = 0; i < fit.steps.size(); ++i) {
    const Step& step = fit.steps[i];
    if (!IsCacheStep(step, random, page_by_page)) {
      translation += step.height;
      continue;
    }
    caches.steps.push_back(step);
    caches.steps.back().height += std::exchange(translation, 0);
    caches.ranges.push_back(fit.ranges[i + 1]);
  }
  return caches;
}

}  // namespace

std::vector<MemoryLevel> ReadLevels(const MemoryCurve& random, const MemoryCurve& page_by_page,
                                    const std::vector<os::CacheClaim>& claimed) {
  if (random.points.empty()) return {};
  std::vector<FitPoint> points;
  for (const MemoryPoint& point : random.points) {
    points.push_back(ToFitPoint(static_cast<double>(point.bytes), point));
  }
  const StepFit fit = FitSteps(points, {});
  const StepFit caches = CachesOf(fit, random, page_by_page);
  std::vector<MemoryLevel> levels;
  for (std::size_t i = 0; i <= caches.steps.size(); ++i) {
    const Step* after = i == caches.steps.size() ? nullptr : &caches.steps[i];
    MemoryLevel level = LevelOf(caches.LatencyBefore(i), caches.ranges[i], fit, random);
    level.name =
        after ? fmt::format("L{}", i + 1) : NameOfLast(i, random.points.back().bytes, claimed);
    if (after) {
      const double from = i == 0 ? 0 : caches.steps[i - 1].bytes;
      level.capacity = {after->bytes,
                        std::min(after->bytes_low, LeftAt(page_by_page, from, level.cycles.value)),
                        after->bytes_high};
    }
    const auto claim = std::ranges::find(claimed, static_cast<int>(i) + 1, &os::CacheClaim::level);
    if (level.name != kMemory && claim != claimed.end()) level.claimed_bytes = claim->bytes;
    levels.push_back(std::move(level));
  }
  return levels;
}

std::vector<TranslationLevel> ReadTranslation(const MemoryCurve& line_per_page,
                                              const MemoryCurve& random, int line_bytes) {
  if (line_per_page.points.empty() || random.points.empty()) return {};
  const double nearest = random.points.front().cycles.value;
  const auto page_bytes = static_cast<double>(line_per_page.page_bytes);
  std::vector<FitPoint> points;
  for (const MemoryPoint& point : line_per_page.points) {
    const double pages = static_cast<double>(point.bytes) / page_bytes;
    const double lines_take = CyclesAt(random, pages * line_bytes);
    FitPoint fit_point = ToFitPoint(pages, point);
    fit_point.latency = std::max(fit_point.latency - lines_take + nearest, nearest / 2);
    // How many lines fit into a cache depends on where they lie, by some percent.
    constexpr double kPlacement = 0.05;
    fit_point.sigma = std::hypot(fit_point.sigma, kPlacement * lines_take);
    points.push_back(fit_point);
  }
  std::vector<TranslationLevel> levels;
  for (const Step& step : FitSteps(points, {.least_height = 0.3}).steps) {
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
    const double doubt = measure::Median(doubts);
    level.cycles = {step.height, std::max(step.height - doubt, 0.0), step.height + doubt};
    levels.push_back(level);
  }
  return levels;
}

std::optional<double> MemoryBegin(const std::vector<MemoryLevel>& levels,
                                  const MemoryCurve& random) {
  constexpr double kAbout = 0.8;
  if (levels.empty() || levels.back().name != kMemory) return std::nullopt;
  std::optional<double> begin;
  for (auto point = random.points.rbegin(); point != random.points.rend(); ++point) {
    if (point->cycles.high < kAbout * levels.back().cycles.value) break;
    begin = static_cast<double>(point->bytes);
  }
  return begin;
}

std::vector<MemoryFinding> CompareWithClaims(const std::vector<MemoryLevel>& levels,
                                             const MemoryCurve& random,
                                             const std::vector<os::CacheClaim>& claimed) {
  if (claimed.empty() || random.points.empty()) return {};
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
      if (is_less(found.high, claim.bytes)) {
        add(MemoryFindingKind::kSmallerCache, name, found.value, claim.bytes);
      } else if (found.low > (1 + kTolerance) * static_cast<double>(claim.bytes + before)) {
        add(MemoryFindingKind::kLargerCache, name, found.value, claim.bytes);
      }
    } else if (level == levels.end() && random.points.back().bytes >= 2 * claim.bytes) {
      add(MemoryFindingKind::kNoSuchCache, name, std::nullopt, claim.bytes);
    }
    before = claim.bytes;
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i].capacity && static_cast<int>(i) >= claimed.back().level)
      add(MemoryFindingKind::kUnknownCache, levels[i].name, levels[i].capacity->value,
          std::nullopt);
  }
  return findings;
}

}  // namespace cyclescope::memory
