#include "anatomy/branch_history.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "statistics/statistics.h"

namespace cyclescope::anatomy {
namespace {

constexpr int kMostHistoryRounds = 16;
constexpr std::int64_t kPointsOfRound = 6;
constexpr std::size_t kTriesOfEnd = 3;
// No share is known better than this: predictors need time to learn.
constexpr double kLeastErrorOfShare = 0.04;
// A disturbed point counts no more than this, in squared deviations.
constexpr double kMostMisfitOfPoint = 16;
// Steps that explain the points worse by this much are possible, too: more than one point can say.
constexpr double kPossibleMisfit = 20;
// By how much a step explains them better than none: five deviations, squared.
constexpr double kLeastMisfitGain = 25;
constexpr double kMaxUnpredictedShare = 0.3;
constexpr double kMinUnpredictedShare = 0.7;
constexpr std::size_t kPointsOfSide = 3;

// The weighted mean and the misfit of a side of the step.
struct Side {
  double mean = 0;
  double misfit = 0;
};

Side SideOf(std::span<const CurvePoint> points) {
  double weights = 0;
  double weighted = 0;
  for (const CurvePoint& point : points) {
    const double weight = 1 / (point.error * point.error);
    weights += weight;
    weighted += weight * std::clamp(point.value, -0.5, 1.5);
  }
  Side side{weighted / weights, 0};
  for (const CurvePoint& point : points) {
    const double deviations = (point.value - side.mean) / point.error;
    side.misfit += std::min(deviations * deviations, kMostMisfitOfPoint);
  }
  return side;
}

// A step behind point `held`.
struct Split {
  std::size_t held = 0;
  Side before;
  Side behind;

  double misfit() const { return before.misfit + behind.misfit; }
};

std::vector<Split> SplitsOf(std::span<const CurvePoint> points) {
  std::vector<Split> splits;
  for (std::size_t held = kPointsOfSide; held + kPointsOfSide <= points.size(); ++held) {
    const Split split = {held - 1, SideOf(points.first(held)), SideOf(points.subspan(held))};
    if (split.before.mean <= kMaxUnpredictedShare && split.behind.mean >= kMinUnpredictedShare)
      splits.push_back(split);
  }
  return splits;
}

struct StepRange {
  std::size_t best = 0;  // the last point before the step
  std::size_t low = 0;
  std::size_t high = 0;
  bool is_clear = false;  // no step at all explains the points clearly worse
};

std::optional<StepRange> FindStep(std::span<const CurvePoint> points) {
  const std::vector<Split> splits = SplitsOf(points);
  if (splits.empty()) return std::nullopt;
  const Split& best = *std::ranges::min_element(splits, {}, &Split::misfit);
  const double scale = std::max(best.misfit() / static_cast<double>(points.size()), 1.0);
  StepRange range = {best.held, best.held, best.held};
  range.is_clear = SideOf(points).misfit - best.misfit() > kLeastMisfitGain * scale;
  for (const Split& split : splits) {
    if (split.misfit() - best.misfit() > kPossibleMisfit * scale) continue;
    range.low = std::min(range.low, split.held);
    range.high = std::max(range.high, split.held);
  }
  return range;
}

}  // namespace

std::vector<CurvePoint> HistorySearch::points() const {
  std::vector<CurvePoint> points;
  for (const auto& [at, tries] : tries_) {
    const double error = tries.error / std::sqrt(static_cast<double>(tries.values.size()));
    points.push_back({static_cast<double>(at), statistics::Median(tries.values),
                      std::max(error, kLeastErrorOfShare), tries.shared});
  }
  return points;
}

void HistorySearch::Add(const CurvePoint& point) {
  Tries& tries = tries_[std::llround(point.at)];
  // What was measured beside another thread counts only where nothing else was.
  if (!tries.values.empty() && point.shared && !tries.shared) return;
  if (tries.shared && !point.shared) tries = {};
  tries.values.push_back(point.value);
  tries.error = std::max(tries.error, point.error);
  tries.shared = point.shared;
}

std::vector<std::int64_t> HistorySearch::Next() {
  if (rounds_++ == 0) {
    std::set<std::int64_t> first;
    const double factor = std::exp2(1.0 / range_.per_doubling);
    for (auto at = static_cast<double>(range_.least); at <= static_cast<double>(range_.most);
         at *= factor) {
      first.insert(std::llround(at));
    }
    return {first.begin(), first.end()};
  }
  if (rounds_ > kMostHistoryRounds) return {};
  const std::vector<CurvePoint> known = points();
  const auto step = FindStep(known);
  if (!step) return {};
  const std::int64_t low = std::llround(known[step->low].at);
  const std::int64_t high = std::llround(known[step->high + 1].at);
  const auto fine = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(range_.fineness * static_cast<double>(low)));
  if (high - low <= fine && step->low == step->high) {
    // Both some times more, so that neither is a disturbance.
    const bool enough =
        tries_.at(low).values.size() >= kTriesOfEnd && tries_.at(high).values.size() >= kTriesOfEnd;
    return enough ? std::vector<std::int64_t>() : std::vector<std::int64_t>{low, high};
  }
  std::set<std::int64_t> next = {low, high};
  for (std::int64_t i = 1; i < kPointsOfRound; ++i)
    next.insert(low + (high - low) * i / kPointsOfRound);
  return {next.begin(), next.end()};
}

std::optional<SizeReading> HistorySearch::Read() const {
  const std::vector<CurvePoint> known = points();
  if (known.size() < 2 * kPointsOfSide) return std::nullopt;
  const auto shared = static_cast<std::size_t>(std::ranges::count_if(known, &CurvePoint::shared));
  SizeReading reading;
  reading.shared = 3 * shared > known.size();
  const auto step = FindStep(known);
  if (!step) {
    // Predicted however far it is, which the last points must be sure of.
    const auto is_predicted = [](const CurvePoint& point) {
      return point.value + kDeviationsOfInterval * point.error < kMaxUnpredictedShare;
    };
    if (!std::ranges::all_of(std::span(known).last(kPointsOfSide), is_predicted) ||
        SideOf(known).mean > kMaxUnpredictedShare)
      return std::nullopt;
    const double most = known.back().at;
    reading.size = {most, most, most};
    reading.at_least = true;
    return reading;
  }
  if (!step->is_clear) return std::nullopt;
  reading.size = {known[step->best].at, known[step->low].at, known[step->high + 1].at};
  for (std::size_t i = step->low; i <= step->high + 1; ++i) reading.shared |= known[i].shared;
  return reading;
}

}  // namespace cyclescope::anatomy
