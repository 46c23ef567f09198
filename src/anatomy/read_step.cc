#include "anatomy/read_step.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "statistics/statistics.h"

namespace cyclescope::anatomy {
namespace {

// No residual counts for more: what was measured while another thread came in between is wrong by
// one.
constexpr double kMaxResidual = 0.5;
// A step from next to nothing is none: what lies behind the fall must have lost most of the
// overlap, and what lies before it must have kept some.
constexpr double kMinOverlapBefore = 0.35;
constexpr double kMaxOverlapAfter = 0.35;
// No core is known that allocates more in a cycle, and the slowest fall that was seen is of twelve.
constexpr int kMostFallFillers = 16;
// Ends of the fall whose cost is this number of deviations higher are not as good as the best.
constexpr double kDeviationsOfEnd = 3;
// Costs that differ by less are equal.
constexpr double kRounding = 1e-9;
// Points that make a level.
constexpr std::size_t kFewestLevels = 3;
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
    fit.cost += groups[i].weight * std::min(std::abs(groups[i].overlap - expected), kMaxResidual);
  }
  return fit;
}

// The best of all places between two numbers of fillers, the ends among them.
Fit BestFit(const Groups& groups) {
  Fit best = FitAt(groups, groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Fit fit = FitAt(groups, i);
    if (fit.cost < best.cost && fit.after <= kMaxOverlapAfter) best = fit;
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
  return statistics::kDeviationsOfNormal * statistics::Median(residuals);
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

// Overlap falls over the last `fillers` of those that fit, in equal parts.
struct Fall {
  int end = 0;      // the most fillers with some overlap
  int fillers = 1;  // 1: all at once behind the end

  int LastBefore() const { return end + 1 - fillers; }
  // Of what there was before.
  double ShareAt(int at) const {
    return std::clamp(static_cast<double>(end + 1 - at) / fillers, 0.0, 1.0);
  }
};

// Where the fall between two groups begins and ends.
class FallSearch {
 public:
  FallSearch(std::span<const Group> near, const Fit& fit) : near_(near), fit_(fit) {}

  // All ends between these numbers of fillers, and somewhat before and behind.
  void Try(int last_above, int first_below);

  // The narrowest of all that explain the points best, in the middle of them.
  Fall Best() const;
  double BestEnd() const;
  // The first and the last end whose cost is not higher by more than this.
  std::pair<int, int> EndsWithin(double slack) const;

 private:
  struct Candidate {
    Fall fall;
    double cost = 0;
  };
  double CostOf(const Fall& fall);
  double LevelBefore(int last_before);
  double LevelAfter(int end);
  std::vector<Fall> Equals() const;

  std::span<const Group> near_;
  const Fit& fit_;
  std::map<int, double> before_;       // levels by the last number of fillers before the fall
  std::map<int, double> after_;        // likewise by its end
  std::vector<Candidate> candidates_;  // the best for each end
};

// By the points just before the fall, since overlap need not have declined in a straight line up to
// them; by that line where there are too few.
double FallSearch::LevelBefore(int last_before) {
  constexpr double kJustBeforeRatio = 0.9;
  const auto [place, is_new] = before_.try_emplace(last_before);
  if (!is_new) return place->second;
  std::vector<std::pair<double, double>> levels;
  for (const Group& group : near_) {
    if (group.fillers > last_before || group.fillers < kJustBeforeRatio * last_before) continue;
    const double decline = fit_.decline * (last_before - group.fillers);
    levels.emplace_back(group.overlap - decline, group.weight);
  }
  place->second =
      levels.size() < kFewestLevels ? fit_.Before(last_before) : WeightedMedian(std::move(levels));
  return place->second;
}

// By the points just behind the fall: far behind it, one chain may have become slower than two.
double FallSearch::LevelAfter(int end) {
  constexpr double kJustAfterRatio = 1.15;
  const auto [place, is_new] = after_.try_emplace(end);
  if (!is_new) return place->second;
  std::vector<std::pair<double, double>> levels;
  for (const Group& group : near_) {
    if (group.fillers > end && group.fillers <= kJustAfterRatio * end)
      levels.emplace_back(group.overlap, group.weight);
  }
  place->second =
      levels.size() < 2 * kFewestLevels ? fit_.after : WeightedMedian(std::move(levels));
  return place->second;
}

double FallSearch::CostOf(const Fall& fall) {
  const int last_before = fall.LastBefore();
  const double level = LevelBefore(last_before);
  const double after = LevelAfter(fall.end);
  double cost = 0;
  for (const Group& group : near_) {
    const double whole = level + fit_.decline * (last_before - group.fillers);
    const double expected = after + fall.ShareAt(group.fillers) * (whole - after);
    cost += group.weight * std::min(std::abs(group.overlap - expected), kMaxResidual);
  }
  return cost;
}

void FallSearch::Try(int last_above, int first_below) {
  // Not every end in a wide gap between two points: all of them explain these as well.
  constexpr int kMaxEndsInGap = 32;
  const int step = 1 + (first_below - last_above) / kMaxEndsInGap;
  const int first = std::max(1, last_above - kMostFallFillers);
  for (int end = first; end < first_below + kMostFallFillers; end += step) {
    Candidate best{.fall = {.end = end}, .cost = CostOf({.end = end})};
    for (int fillers = 2; fillers <= std::min(kMostFallFillers, end); ++fillers) {
      const Fall fall{end, fillers};
      const double cost = CostOf(fall);
      if (cost < best.cost - kRounding) best = {fall, cost};
    }
    candidates_.push_back(best);
  }
}

std::vector<Fall> FallSearch::Equals() const {
  const double least = std::ranges::min(candidates_, {}, &Candidate::cost).cost;
  std::vector<Fall> equals;
  int narrowest = kMostFallFillers;
  for (const Candidate& candidate : candidates_) {
    if (candidate.cost > least + kRounding) continue;
    equals.push_back(candidate.fall);
    narrowest = std::min(narrowest, candidate.fall.fillers);
  }
  std::erase_if(equals, [narrowest](const Fall& fall) { return fall.fillers > narrowest; });
  return equals;
}

Fall FallSearch::Best() const {
  const std::vector<Fall> equals = Equals();
  return equals[equals.size() / 2];
}

double FallSearch::BestEnd() const {
  const std::vector<Fall> equals = Equals();
  return (equals.front().end + equals.back().end) / 2.0;
}

std::pair<int, int> FallSearch::EndsWithin(double slack) const {
  const double most = std::ranges::min(candidates_, {}, &Candidate::cost).cost + slack + kRounding;
  const auto is_near = [most](const Candidate& candidate) { return candidate.cost <= most; };
  const auto first = std::ranges::find_if(candidates_, is_near);
  const auto last = std::find_if(candidates_.rbegin(), candidates_.rend(), is_near);
  return {first->fall.end, last->fall.end};
}

// Finds what lies on the wrong side of a fall: no overlap before it, or overlap behind it. Either
// that was disturbed, or what lies between it and the fall was; both happen where another program
// comes and goes. It counts unless four times as many points between them say otherwise.
class Contradictions {
 public:
  Contradictions(std::span<const Group> near, const Fit& fit, double deviation)
      : near_(near), fit_(fit), deviation_(deviation) {}

  // Widens the interval of a step to where its end may be instead.
  void WidenInterval(const Fall& fall, Step& step) const;

 private:
  bool Overlaps(const Group& group) const {
    return group.overlap > (fit_.Before(group.fillers) + fit_.after) / 2;
  }
  // The last of a row of groups, by growing distance from the fall, that contradicts it.
  std::optional<int> Furthest(const Groups& row, bool overlaps) const;
  int LastWithOverlap(int fillers) const;

  std::span<const Group> near_;
  const Fit& fit_;
  double deviation_;  // of points
};

std::optional<int> Contradictions::Furthest(const Groups& row, bool overlaps) const {
  constexpr double kLeastShareOfOthers = 0.25;
  double against = 0;
  double others = 0;
  std::optional<int> furthest;
  for (const Group& group : row) {
    (Overlaps(group) == overlaps ? against : others) += group.weight;
    if (Overlaps(group) == overlaps && against >= kLeastShareOfOthers * others)
      furthest = group.fillers;
  }
  return furthest;
}

// From these fillers on: the end of the fall that would be there.
int Contradictions::LastWithOverlap(int fillers) const {
  for (const Group& group : near_) {
    const double error = deviation_ / std::sqrt(group.weight);
    if (group.fillers > fillers && group.overlap - fit_.after < kDeviationsOfEnd * error)
      return group.fillers - 1;
  }
  return near_.back().fillers;
}

void Contradictions::WidenInterval(const Fall& fall, Step& step) const {
  Groups before;
  Groups behind;
  for (const Group& group : near_) {
    if (group.fillers > fall.end) behind.push_back(group);
    if (group.fillers <= fall.LastBefore()) before.push_back(group);
  }
  std::ranges::reverse(before);
  if (const auto at = Furthest(behind, true)) {
    step.high = std::max(step.high, LastWithOverlap(*at));
    step.is_contradicted = true;
  }
  if (const auto at = Furthest(before, false)) {
    const auto place = std::ranges::find(near_, *at, &Group::fillers);
    const int last = place == near_.begin() ? *at - 1 : std::prev(place)->fillers;
    step.low = std::min(step.low, last);
    step.earliest_end = std::min(step.earliest_end, last);
    step.is_contradicted = true;
  }
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
  if (before < kMinOverlapBefore) return reading;
  if (fit.count_before == groups.size()) {
    const int most = reading.most_fillers;
    if (before >= kDeviationsApart * DeviationFrom(fit, most, most, points))
      reading.end = StepEnd::kBeyond;
    return reading;
  }
  const std::span<const Group> near = NearFall(groups, fit.count_before);
  const int last_above = groups[fit.count_before - 1].fillers;
  const int first_below = groups[fit.count_before].fillers;
  FallSearch search(near, fit);
  search.Try(last_above, first_below);
  const Fall fall = search.Best();
  const double deviation = DeviationFrom(fit, fall.LastBefore(), fall.end + 1, points);
  if (before - fit.after < kDeviationsApart * deviation) return reading;
  // Of a sum of absolute residuals, in which a group of points counts as often as it has points.
  const double weight = std::ranges::max(near, {}, &Group::weight).weight;
  const auto [earliest, latest] =
      search.EndsWithin(kDeviationsOfEnd * deviation * std::sqrt(weight));
  // Where nothing was looked at, the shape of the fall alone says that it ended: not enough.
  const auto next = std::ranges::find_if(
      groups, [last = latest](const Group& group) { return group.fillers > last; });
  reading.end = StepEnd::kFound;
  reading.step = Step{.fits = search.BestEnd(),
                      .low = std::min(fall.LastBefore(), earliest),
                      .earliest_end = earliest,
                      .high = next == groups.end() ? latest : next->fillers - 1,
                      .before = before,
                      .after = fit.after,
                      .deviation = deviation};
  Contradictions(near, fit, deviation).WidenInterval(fall, *reading.step);
  return reading;
}

}  // namespace cyclescope::anatomy
