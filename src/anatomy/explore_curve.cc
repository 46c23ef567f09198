#include "anatomy/explore_curve.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace cyclescope::anatomy {
namespace {

constexpr int kMostRounds = 12;
// Points that are measured at once between the two that enclose an end.
constexpr std::int64_t kPointsBetween = 3;
// Of the rise to the next plateau.
constexpr std::ptrdiff_t kPointsOfRise = 6;

std::vector<std::int64_t> FirstPoints(const CurveRange& range) {
  std::set<std::int64_t> points;
  const auto at_unit = [&range](double at) {
    return std::max<std::int64_t>(std::llround(at / static_cast<double>(range.unit)), 1) *
           range.unit;
  };
  const double factor = std::exp2(1.0 / range.per_doubling);
  for (double at = static_cast<double>(range.least); at < static_cast<double>(range.most);
       at *= factor) {
    points.insert(at_unit(at));
  }
  points.insert(at_unit(static_cast<double>(range.most)));
  return {points.begin(), points.end()};
}

class Explorer {
 public:
  Explorer(const CurveRange& range, const PlateauLimits& limits, const MeasurePoints& measure)
      : range_(range), limits_(limits), measure_(measure) {}

  Curve Explore() {
    Measure(FirstPoints(range_));
    for (int round = 0; round < kMostRounds; ++round) {
      const std::vector<std::int64_t> next = NextPoints();
      if (next.empty()) break;
      Measure(next);
    }
    return Read();
  }

 private:
  void Measure(const std::vector<std::int64_t>& at) {
    const auto measured = measure_(at);
    for (std::size_t i = 0; i < at.size(); ++i) {
      ++visits_[at[i]];
      if (!measured[i]) continue;
      CurvePoint point = *measured[i];
      point.at = static_cast<double>(at[i]);
      const auto [known, is_new] = points_.try_emplace(at[i], point);
      // Whatever disturbs code makes it slower; and what a thread of its own core measured counts
      // more than what was measured beside another.
      const bool better = known->second.shared != point.shared ? known->second.shared
                                                               : point.value < known->second.value;
      if (!is_new && better) known->second = point;
    }
  }

  // From what was measured while the core was ours, if that is most of the curve. Otherwise from
  // all of it, and everything that is read from it is marked.
  Curve Read() const {
    Curve curve;
    std::vector<CurvePoint> own;
    for (const auto& [at, point] : points_) {
      curve.points.push_back(point);
      if (!point.shared) own.push_back(point);
    }
    constexpr double kLeastShare = 0.6;
    if (static_cast<double>(own.size()) >= kLeastShare * static_cast<double>(points_.size())) {
      curve.plateaus = FindPlateaus(own, limits_);
    } else {
      curve.plateaus = FindPlateaus(curve.points, limits_);
      for (Plateau& plateau : curve.plateaus) plateau.shared = true;
    }
    return curve;
  }

  // Adds points between two, until they are near enough to each other. Whether there was one to
  // add.
  bool AddBetween(std::int64_t low, std::int64_t high, std::set<std::int64_t>& next) const {
    const std::int64_t least = std::max(
        range_.unit, static_cast<std::int64_t>(range_.fineness * static_cast<double>(low)));
    bool added = false;
    for (std::int64_t i = 1; i <= kPointsBetween && high - low > least; ++i) {
      const std::int64_t at =
          (low + (high - low) * i / (kPointsBetween + 1)) / range_.unit * range_.unit;
      if (at > low && at < high && !visits_.contains(at)) added |= next.insert(at).second;
    }
    return added;
  }

  // Those between the last that fits and the first that does not. Where these are next to each
  // other: some of the rise behind them, and both for the second time, with what lies between.
  std::vector<std::int64_t> NextPoints() const {
    std::set<std::int64_t> next;
    const std::vector<Plateau> plateaus = Read().plateaus;
    for (std::size_t i = 0; i < plateaus.size(); ++i) {
      if (!plateaus[i].first_beyond_at) continue;
      const std::int64_t low = std::llround(plateaus[i].last_at);
      const std::int64_t high = std::llround(*plateaus[i].first_beyond_at);
      if (AddBetween(low, high, next)) continue;
      if (i + 1 < plateaus.size()) {
        const std::int64_t top = std::llround(plateaus[i + 1].first_at);
        const auto in_rise = std::ranges::count_if(
            visits_, [&](const auto& visit) { return high <= visit.first && visit.first < top; });
        if (in_rise < kPointsOfRise) AddBetween(high, top, next);
      }
      for (auto point = visits_.lower_bound(low); point != visits_.end() && point->first <= high;
           ++point) {
        if (point->second < 2) next.insert(point->first);
      }
    }
    return {next.begin(), next.end()};
  }

  CurveRange range_;
  PlateauLimits limits_;
  const MeasurePoints& measure_;
  std::map<std::int64_t, CurvePoint> points_;
  std::map<std::int64_t, int> visits_;
};

}  // namespace

Curve ExploreCurve(const CurveRange& range, const PlateauLimits& limits,
                   const MeasurePoints& measure) {
  return Explorer(range, limits, measure).Explore();
}

}  // namespace cyclescope::anatomy
