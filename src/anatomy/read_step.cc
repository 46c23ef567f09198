#include "anatomy/read_step.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "statistics/statistics.h"

namespace cyclescope::anatomy {
namespace {

// No residual counts for more: what was measured while another thread came in between is wrong by
// one.
constexpr double kMostResidual = 0.5;
// A step from next to nothing is none: what lies behind the fall must have lost most of the
// overlap, and what lies before it must have kept some.
constexpr double kLeastBefore = 0.35;
constexpr double kMostAfter = 0.35;
// Above the first share of the fall overlap is as before it, below the second as after it.
constexpr double kUpperShare = 0.8;
constexpr double kLowerShare = 0.2;
// Points nearer to the fall than this ratio say something of its shape.
constexpr double kFallNeighbourhoodRatio = 0.75;

// All points of one number of fillers.
struct Group {
  int fillers = 0;
  double overlap = 0;  // the median
  double weight = 0;   // how many
};
using Groups = std::vector<Group>;

Groups GroupsOf(std::span<const OverlapPoint> points) {
  std::map<int, std::vector<double>> by_fillers;
  for (const OverlapPoint& point : points) {
    if (std::isfinite(point.overlap)) by_fillers[point.fillers].push_back(point.overlap);
  }
  Groups groups;
  for (const auto& [fillers, overlaps] : by_fillers)
    groups.push_back({fillers, statistics::Median(overlaps), static_cast<double>(overlaps.size())});
  return groups;
}

double WeightedMedian(std::vector<std::pair<double, double>> values_and_weights) {
  std::ranges::sort(values_and_weights);
  double total = 0;
  for (const auto& [value, weight] : values_and_weights) total += weight;
  double passed = 0;
  for (const auto& [value, weight] : values_and_weights) {
    passed += weight;
    if (passed >= total / 2) return value;
  }
  return 0;
}

// Overlap 1 without fillers, declining in a straight line: the slope with the least sum of absolute
// residuals is the median of the points' own slopes, weighted by their distance.
double DeclineOf(std::span<const Group> groups) {
  std::vector<std::pair<double, double>> slopes;
  for (const Group& group : groups)
    slopes.emplace_back((1 - group.overlap) / group.fillers, group.weight * group.fillers);
  return std::max(WeightedMedian(std::move(slopes)), 0.0);
}

double LevelOf(std::span<const Group> groups) {
  std::vector<std::pair<double, double>> levels;
  for (const Group& group : groups) levels.emplace_back(group.overlap, group.weight);
  return WeightedMedian(std::move(levels));
}

struct Fit {
  std::size_t count_before = 0;  // of groups
  double decline = 0;            // of overlap for each filler, before the fall
  double after = 0;
  double cost = 0;

  double Before(int fillers) const { return 1 - decline * fillers; }
};

Fit FitAt(const Groups& groups, std::size_t count_before) {
  const std::span all(groups);
  Fit fit{.count_before = count_before,
          .decline = DeclineOf(all.first(count_before)),
          .after = LevelOf(all.subspan(count_before))};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double expected = i < count_before ? fit.Before(groups[i].fillers) : fit.after;
    fit.cost += groups[i].weight * std::min(std::abs(groups[i].overlap - expected), kMostResidual);
  }
  return fit;
}

// The best of all places between two numbers of fillers, the ends among them.
Fit BestFit(const Groups& groups) {
  Fit best = FitAt(groups, groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Fit fit = FitAt(groups, i);
    if (fit.cost < best.cost && fit.after <= kMostAfter) best = fit;
  }
  return best;
}

// Of single points. Those within the fall are between the levels by nature, and do not count.
double DeviationFrom(const Fit& fit, int last_before, int first_after,
                     std::span<const OverlapPoint> points) {
  std::vector<double> residuals;
  for (const OverlapPoint& point : points) {
    if (!std::isfinite(point.overlap)) continue;
    if (point.fillers > last_before && point.fillers < first_after) continue;
    const double expected = point.fillers <= last_before ? fit.Before(point.fillers) : fit.after;
    residuals.push_back(std::abs(point.overlap - expected));
  }
  constexpr double kNormal = 1.4826;  // of a normal distribution, over the median distance
  return kNormal * statistics::Median(residuals);
}

// Neighbours that have one overlap.
struct Pool {
  int first = 0;
  int last = 0;  // fillers
  double overlap = 0;
  double weight = 0;
};

// Overlap by number of fillers that never rises: least squares, by pooling adjacent violators.
// What lies beyond both levels counts as the nearer one, or a single time that is far off would
// pull its neighbours along.
std::vector<Pool> NeverRising(std::span<const Group> groups, double before, double after) {
  std::vector<Pool> pools;
  for (const Group& group : groups) {
    Pool pool{group.fillers, group.fillers, std::clamp(group.overlap, after, before), group.weight};
    while (!pools.empty() && pools.back().overlap < pool.overlap) {
      const Pool& last = pools.back();
      const double weight = last.weight + pool.weight;
      pool = {last.first, pool.last,
              (last.overlap * last.weight + pool.overlap * pool.weight) / weight, weight};
      pools.pop_back();
    }
    pools.push_back(pool);
  }
  return pools;
}

// The groups whose fillers are near those of the fall, and one more on either side at least.
std::span<const Group> NearFall(const Groups& groups, std::size_t count_before) {
  const double place = groups[count_before].fillers;
  std::size_t first = count_before - 1;
  std::size_t last = count_before;
  while (first > 0 && groups[first - 1].fillers >= kFallNeighbourhoodRatio * place) --first;
  while (last + 1 < groups.size() && groups[last + 1].fillers <= place / kFallNeighbourhoodRatio)
    ++last;
  return std::span(groups).subspan(first, last - first + 1);
}

struct Crossing {
  int last_above = 0;   // fillers
  int first_below = 0;  // likewise
};

Crossing CrossingOf(const std::vector<Pool>& pools, double level) {
  Crossing crossing{.last_above = pools.front().first, .first_below = pools.back().last};
  for (const Pool& pool : pools) {
    if (pool.overlap >= level) crossing.last_above = pool.last;
  }
  for (const Pool& pool : pools) {
    if (pool.overlap >= level) continue;
    crossing.first_below = pool.first;
    break;
  }
  return crossing;
}

}  // namespace

StepReading ReadStep(std::span<const OverlapPoint> points) {
  constexpr std::size_t kFewestGroups = 4;
  StepReading reading;
  const Groups groups = GroupsOf(points);
  if (groups.size() < kFewestGroups) return reading;
  reading.most_fillers = groups.back().fillers;
  const Fit fit = BestFit(groups);
  if (fit.count_before == 0) return reading;
  const double before = fit.Before(groups[fit.count_before - 1].fillers);
  if (before < kLeastBefore) return reading;
  if (fit.count_before == groups.size()) {
    const int most = reading.most_fillers;
    if (before >= kDeviationsApart * DeviationFrom(fit, most, most, points))
      reading.end = StepEnd::kBeyond;
    return reading;
  }
  const double fall = before - fit.after;
  const std::vector<Pool> pools =
      NeverRising(NearFall(groups, fit.count_before), before, fit.after);
  const Crossing upper = CrossingOf(pools, fit.after + kUpperShare * fall);
  const Crossing lower = CrossingOf(pools, fit.after + kLowerShare * fall);
  const double deviation = DeviationFrom(fit, upper.last_above, lower.first_below, points);
  if (fall < kDeviationsApart * deviation) return reading;
  reading.end = StepEnd::kFound;
  reading.step = Step{.fits = (lower.last_above + lower.first_below - 1) / 2.0,
                      .low = upper.last_above,
                      .high = std::max(lower.first_below - 1, upper.last_above),
                      .before = before,
                      .after = fit.after,
                      .deviation = deviation};
  return reading;
}

}  // namespace cyclescope::anatomy
