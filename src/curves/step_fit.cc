#include "curves/step_fit.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "curves/step_solver.h"

namespace cyclescope::curves {
namespace {

// A fit that grows.
class Fitter {
 public:
  Fitter(std::span<const FitPoint> points, const FitLimits& limits)
      : points_(points), limits_(limits), solver_(points, limits.model_error) {
    solution_ = solver_.Flat();
  }

  StepFit Run() {
    if (points_.size() >= kFewestPoints) {
      while (places_.size() < limits_.most_steps && AddStep()) {
      }
    }
    return Describe();
  }

 private:
  static constexpr std::size_t kFewestPoints = 6;
  // What a step must explain beyond chance: it has a place, a height and a shape to choose.
  static constexpr double kLeastGain = 25;
  // What a cache that replaces lines at random, or keeps what it has, must explain beyond one that
  // keeps its most recent lines: those are by far the most, and hold up to a half more than such a
  // cache with a curve that is nearly the same.
  static constexpr double kOtherFillingGain = 8;

  // Both plateaus have to be seen: two points before, and three beyond, since the largest
  // footprints have the fewest visits.
  double FirstHalf() const { return solver_.log_bytes(1); }
  double LastHalf() const { return solver_.log_bytes(points_.size() - 3); }

  static double PenaltyOf(const Place& place) {
    const Filling filling = kShapes[place.shape].filling;
    return filling == Filling::kRandom || filling == Filling::kKeeping ? kOtherFillingGain : 0;
  }

  double Cost() const {
    double cost = solution_.error;
    for (const Place& place : places_) cost += PenaltyOf(place);
    return cost;
  }

  // The place that explains most, if it is worth it. One that moves to where another is when all
  // are refined is none, and the next best is tried. What it shows not to be two steps becomes one.
  bool AddStep() {
    constexpr int kTries = 4;
    const Fitter before = *this;
    std::vector<double> refused;
    for (int i = 0; i < kTries; ++i) {
      // The last try is for another part of the curve. By the logarithm of the footprint.
      constexpr double kSamePlaceLog = 0.3;
      constexpr double kOtherPartLog = 1.5;
      const auto place = BestPlace(refused, i + 1 < kTries ? kSamePlaceLog : kOtherPartLog);
      if (!place) return false;
      if (!Add(*place)) return false;
      Refine();
      MergeSteps();
      if (before.Cost() - Cost() >= kLeastGain && !FirstImplausible()) return true;
      *this = before;
      refused.push_back(place->log_half);
    }
    return false;
  }

  bool Add(const Place& place) {
    std::vector<double> column = solver_.Column(place);
    auto solution = solver_.Try(places_.size() + 1, column);
    if (!solution) return false;
    solution_ = std::move(*solution);
    solver_.Set(places_.size() + 1, std::move(column));
    places_.push_back(place);
    return true;
  }

  // Without that place, and the others where they explain most then.
  std::optional<Fitter> Without(std::size_t index) const {
    Fitter other(points_, limits_);
    other.places_ = places_;
    other.places_.erase(other.places_.begin() + static_cast<std::ptrdiff_t>(index));
    if (other.places_.empty()) return other;
    for (std::size_t i = 0; i < other.places_.size(); ++i)
      other.solver_.Set(i + 1, other.solver_.Column(other.places_[i]));
    auto solution = other.solver_.Try(1, other.solver_.Column(other.places_[0]));
    if (!solution) return std::nullopt;
    other.solution_ = std::move(*solution);
    other.Refine();
    return other;
  }

  // Takes steps away until all are plausible: one that is not, or the one before it, whichever
  // explains less.
  void MergeSteps() {
    for (auto bad = FirstImplausible(); bad; bad = FirstImplausible()) {
      const std::vector<std::size_t> order = Ascending();
      std::optional<Fitter> best = Without(order[*bad]);
      if (*bad > 0) {
        auto other = Without(order[*bad - 1]);
        if (other && (!best || other->Cost() < best->Cost())) best = std::move(other);
      }
      if (!best) return;
      *this = std::move(*best);
    }
  }

  // At least `away` from places that were refused.
  std::optional<Place> BestPlace(const std::vector<double>& refused, double away) const {
    constexpr double kPerDoubling = 6;
    const double stride = std::log(2.0) / kPerDoubling;
    std::optional<Place> best;
    double least = Cost();
    for (double at = FirstHalf(); at <= LastHalf(); at += stride) {
      if (IsNear(at, refused, away)) continue;
      for (std::size_t shape = 0; shape < kShapes.size(); ++shape) {
        const Place place = {at, shape};
        const auto solution = solver_.Try(places_.size() + 1, solver_.Column(place));
        if (!solution) continue;
        const double cost = solution->error + PenaltyOf(place) + (Cost() - solution_.error);
        if (cost >= least) continue;
        least = cost;
        best = place;
      }
    }
    return best;
  }

  static bool IsNear(double log_half, const std::vector<double>& others, double distance) {
    return std::ranges::any_of(others,
                               [&](double other) { return std::abs(other - log_half) < distance; });
  }

  // Moves one place after the other to where it explains most, in ever smaller steps.
  void Refine() {
    for (const double reach : {0.4, 0.1, 0.03}) {
      for (std::size_t i = 0; i < places_.size(); ++i) {
        for (std::size_t shape = 0; shape < kShapes.size(); ++shape) MovePlace(i, shape, reach);
      }
    }
  }

  void MovePlace(std::size_t index, std::size_t shape, double reach) {
    constexpr int kTries = 4;
    const Place from = places_[index];
    for (int i = -kTries; i <= kTries; ++i) {
      const Place place = {from.log_half + reach * i / kTries, shape};
      if (place.log_half < FirstHalf() || place.log_half > LastHalf()) continue;
      std::vector<double> column = solver_.Column(place);
      auto solution = solver_.Try(index + 1, column);
      if (!solution ||
          solution->error + PenaltyOf(place) >= solution_.error + PenaltyOf(places_[index]))
        continue;
      solution_ = std::move(*solution);
      places_[index] = place;
      solver_.Set(index + 1, std::move(column));
    }
  }

  std::vector<std::size_t> Ascending() const {
    std::vector<std::size_t> order(places_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [this](std::size_t i) { return places_[i].log_half; });
    return order;
  }

  // What the fit says of that footprint.
  double LatencyAt(double log_bytes) const {
    double latency = solution_.heights[0];
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const double log_over_half = log_bytes - places_[i].log_half;
      latency += solution_.heights[i + 1] * Shapes().At(places_[i].shape, log_over_half);
    }
    return latency;
  }

  // True if the fit is nearly flat over some footprints: two steps that run into each other are
  // one.
  bool HasPlateau(double latency) const {
    constexpr double kSameLatencyShare = 0.1;
    constexpr double kLogStride = 0.05;
    double length = 0;
    for (double at = solver_.log_bytes(0); at <= solver_.log_bytes(points_.size() - 1);
         at += kLogStride) {
      if (std::abs(LatencyAt(at) - latency) < kSameLatencyShare * latency) length += kLogStride;
    }
    return length >= std::log(limits_.least_plateau);
  }

  // The first step, by bytes, that is not high enough or not far enough from the one before it to
  // be another.
  std::optional<std::size_t> FirstImplausible() const {
    double latency = solution_.heights[0];
    double last = -std::numeric_limits<double>::infinity();
    const std::vector<std::size_t> order = Ascending();
    for (std::size_t i = 0; i < order.size(); ++i) {
      const double height = solution_.heights[order[i] + 1];
      const double log_half = places_[order[i]].log_half;
      if (height < limits_.least_height * latency) return i;
      if (log_half - last < std::log(limits_.least_ratio)) return i;
      if (!HasPlateau(latency)) return i;
      latency += height;
      last = log_half;
    }
    return std::nullopt;
  }

  StepFit Describe() const {
    StepFit fit;
    fit.first = solution_.heights[0];
    for (std::size_t i = 0; i <= places_.size(); ++i) {
      const double latency = LatencyBefore(i, solution_);
      fit.ranges.push_back({latency, latency});
    }
    for (const std::size_t i : Ascending()) {
      const Place& place = places_[i];
      const auto [low, high] = RangeOf(i, fit.ranges);
      fit.steps.push_back({std::exp(place.log_bytes()), solution_.heights[i + 1],
                           kShapes[place.shape], std::exp(low), std::exp(high)});
    }
    return fit;
  }

  // Before that step, counted by bytes.
  double LatencyBefore(std::size_t step, const Solver::Solution& solution) const {
    const std::vector<std::size_t> order = Ascending();
    double latency = solution.heights[0];
    for (std::size_t i = 0; i < step; ++i) latency += solution.heights[order[i] + 1];
    return latency;
  }

  // Where the step could be as well: with any shape that explains the points nearly as well (a 95 %
  // interval by the likelihood's drop, which points that the model misses widen), and at least to
  // where the next sizes were measured: nothing is known in between. The latencies that go with it
  // widen `ranges`.
  std::pair<double, double> RangeOf(std::size_t index, std::vector<LatencyRange>& ranges) const {
    constexpr double kLikelihoodDrop = 3.84;
    const double freedom = std::max(
        static_cast<double>(points_.size()) - 3.0 * static_cast<double>(places_.size()), 1.0);
    const double allowed =
        solution_.error + kLikelihoodDrop * std::max(1.0, solution_.error / freedom);
    const double half = places_[index].log_half;
    const double at = places_[index].log_bytes();
    double low = at;
    double high = at;
    constexpr double kLogReach = 0.5;
    constexpr double kLogStride = 0.02;
    for (std::size_t shape = 0; shape < kShapes.size(); ++shape) {
      for (double log_half = half - kLogReach; log_half <= half + kLogReach;
           log_half += kLogStride) {
        const Place place = {log_half, shape};
        const auto solution = solver_.Try(index + 1, solver_.Column(place));
        if (!solution || solution->error > allowed) continue;
        for (std::size_t i = 0; i < ranges.size(); ++i) {
          const double latency = LatencyBefore(i, *solution);
          ranges[i].low = std::min(ranges[i].low, latency);
          ranges[i].high = std::max(ranges[i].high, latency);
        }
        low = std::min(low, place.log_bytes());
        high = std::max(high, place.log_bytes());
      }
    }
    for (std::size_t i = 0; i + 1 < points_.size(); ++i) {
      if (solver_.log_bytes(i) <= at && at <= solver_.log_bytes(i + 1)) {
        low = std::min(low, solver_.log_bytes(i));
        high = std::max(high, solver_.log_bytes(i + 1));
      }
    }
    return {low, high};
  }

  std::span<const FitPoint> points_;
  FitLimits limits_;
  Solver solver_;
  std::vector<Place> places_;
  Solver::Solution solution_;
};

}  // namespace

double StepFit::LatencyBefore(std::size_t step) const {
  double latency = first;
  for (std::size_t i = 0; i < step; ++i) latency += steps[i].height;
  return latency;
}

double StepFit::LatencyAt(double bytes) const {
  double latency = first;
  for (const Step& step : steps) {
    latency += step.height * MissedShare(step.shape, bytes / step.bytes);
  }
  return latency;
}

StepFit FitSteps(std::span<const FitPoint> points, const FitLimits& limits) {
  assert(std::ranges::is_sorted(points, {}, &FitPoint::bytes));
  if (points.empty()) return {};
  return Fitter(points, limits).Run();
}

}  // namespace cyclescope::curves
