#include "anatomy/read_step.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "statistics/statistics.h"

namespace cyclescope::anatomy {
namespace {

// No residual counts for more: a visit in which another thread came in between is wrong by one.
constexpr double kMostResidual = 0.5;
// A step from next to nothing is none: what lies behind the fall must have lost most of the
// overlap, and what lies before it must have kept some.
constexpr double kLeastBefore = 0.35;
constexpr double kMostAfter = 0.35;
// Between these shares of the fall lies its middle part.
constexpr double kUpperShare = 0.7;
constexpr double kLowerShare = 0.3;
// How far from the fall points still say something of its shape.
constexpr double kNear = 0.75;

using Points = std::vector<OverlapPoint>;

// Overlap 1 without fillers, declining in a straight line: the slope with the least sum of absolute
// residuals is the median of the points' own slopes, weighted by their distance.
double DeclineOf(std::span<const OverlapPoint> points) {
  std::vector<std::pair<double, double>> slopes;  // and weight
  double total = 0;
  for (const OverlapPoint& point : points) {
    slopes.emplace_back((1 - point.overlap) / point.fillers, point.fillers);
    total += point.fillers;
  }
  std::ranges::sort(slopes);
  double passed = 0;
  for (const auto& [slope, weight] : slopes) {
    passed += weight;
    if (passed >= total / 2) return std::max(slope, 0.0);
  }
  return 0;
}

double LevelOf(std::span<const OverlapPoint> points) {
  std::vector<double> overlaps;
  for (const OverlapPoint& point : points) overlaps.push_back(point.overlap);
  return overlaps.empty() ? 0 : statistics::Median(overlaps);
}

struct Fit {
  std::size_t count_before = 0;  // of points
  double decline = 0;            // of overlap for each filler, before the fall
  double after = 0;
  double cost = 0;

  double At(const Points& points, std::size_t i) const {
    return i < count_before ? 1 - decline * points[i].fillers : after;
  }
};

Fit FitAt(const Points& points, std::size_t count_before) {
  const std::span all(points);
  Fit fit{.count_before = count_before,
          .decline = DeclineOf(all.first(count_before)),
          .after = LevelOf(all.subspan(count_before))};
  for (std::size_t i = 0; i < points.size(); ++i)
    fit.cost += std::min(std::abs(points[i].overlap - fit.At(points, i)), kMostResidual);
  return fit;
}

// The best of all places between two numbers of fillers, the ends among them.
Fit BestFit(const Points& points) {
  Fit best = FitAt(points, points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0 && points[i - 1].fillers == points[i].fillers) continue;
    if (Fit fit = FitAt(points, i); fit.cost < best.cost) best = fit;
  }
  return best;
}

double DeviationFrom(const Fit& fit, const Points& points) {
  std::vector<double> residuals;
  for (std::size_t i = 0; i < points.size(); ++i)
    residuals.push_back(std::abs(points[i].overlap - fit.At(points, i)));
  constexpr double kNormal = 1.4826;  // of a normal distribution, over the median distance
  return kNormal * statistics::Median(residuals);
}

// Overlap by number of fillers that never rises: the least squares of the medians (pool adjacent
// violators).
struct Pool {
  int first = 0;
  int last = 0;  // fillers
  double overlap = 0;
  double weight = 0;
};

std::vector<Pool> NeverRising(std::span<const OverlapPoint> points) {
  std::map<int, std::vector<double>> by_fillers;
  for (const OverlapPoint& point : points) by_fillers[point.fillers].push_back(point.overlap);
  std::vector<Pool> pools;
  for (const auto& [fillers, overlaps] : by_fillers) {
    Pool pool{fillers, fillers, statistics::Median(overlaps), static_cast<double>(overlaps.size())};
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

struct Crossing {
  int last_above = 0;   // fillers
  int first_below = 0;  // likewise
};

Crossing CrossingOf(const std::vector<Pool>& pools, double level) {
  Crossing crossing{.last_above = pools.front().first - 1, .first_below = pools.back().last + 1};
  for (const Pool& pool : pools) {
    if (pool.overlap >= level) crossing.last_above = pool.last;
    if (pool.overlap < level) crossing.first_below = std::min(crossing.first_below, pool.first);
  }
  return crossing;
}

}  // namespace

StepReading ReadStep(std::span<const OverlapPoint> given) {
  constexpr std::size_t kFewest = 5;
  Points points(given.begin(), given.end());
  std::ranges::sort(points, {}, &OverlapPoint::fillers);
  StepReading reading;
  if (points.size() < kFewest) return reading;
  reading.most_fillers = points.back().fillers;
  const Fit fit = BestFit(points);
  const double deviation = DeviationFrom(fit, points);
  if (fit.count_before == points.size()) {
    const double last = 1 - fit.decline * points.back().fillers;
    if (last >= kLeastBefore && last > kDeviationsApart * deviation) reading.end = StepEnd::kBeyond;
    return reading;
  }
  if (fit.count_before == 0) return reading;
  const double before = 1 - fit.decline * points[fit.count_before - 1].fillers;
  const double fall = before - fit.after;
  if (before < kLeastBefore || fit.after > kMostAfter || fall < kDeviationsApart * deviation)
    return reading;

  const int place = points[fit.count_before].fillers;
  Points near;
  std::ranges::copy_if(points, std::back_inserter(near), [place](const OverlapPoint& point) {
    return point.fillers >= kNear * place && point.fillers <= place / kNear;
  });
  const std::vector<Pool> pools = NeverRising(near);
  const Crossing half = CrossingOf(pools, fit.after + fall / 2);
  const Crossing upper = CrossingOf(pools, fit.after + kUpperShare * fall);
  const Crossing lower = CrossingOf(pools, fit.after + kLowerShare * fall);
  reading.end = StepEnd::kFound;
  reading.step = Step{.fits = (half.last_above + half.first_below - 1) / 2.0,
                      .low = upper.last_above,
                      .high = lower.first_below - 1,
                      .before = before,
                      .after = fit.after,
                      .deviation = deviation};
  return reading;
}

}  // namespace cyclescope::anatomy
