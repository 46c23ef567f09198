#include "curves/clear_points.h"

#include <algorithm>
#include <cmath>

#include "statistics/sample_groups.h"

namespace cyclescope::curves {
namespace {

// By more than their doubts, in cycles and in time: the clock may have changed in between.
bool TookClearlyLonger(const MemoryPoint& small, const MemoryPoint& large) {
  constexpr double kMinDifferenceShare = 0.05;
  const double doubt = 2 * std::hypot(DoubtOf(small), DoubtOf(large));
  return small.cycles.value - large.cycles.value >
             kMinDifferenceShare * large.cycles.value + doubt &&
         small.nanoseconds.value > (1 + kMinDifferenceShare) * large.nanoseconds.value;
}

// Clear points on both sides that are so near tell what is in between.
bool IsBetweenClearOnes(const MemoryCurve& curve, std::size_t index) {
  constexpr double kNeighbourFootprintRatio = 1.5;
  const auto bytes = static_cast<double>(curve.points[index].bytes);
  bool left = false;
  bool right = false;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    if (!IsClear(curve.points[i])) continue;
    const double ratio = static_cast<double>(curve.points[i].bytes) / bytes;
    left |= i < index && ratio > 1 / kNeighbourFootprintRatio;
    right |= i > index && ratio < kNeighbourFootprintRatio;
  }
  return left && right;
}

}  // namespace

bool IsClear(const MemoryPoint& point) {
  // Of three the median stays right if one was disturbed without the probes seeing it.
  constexpr int kFewestVisits = 3;
  return !point.contended && point.visits >= kFewestVisits;
}

double DoubtOf(const MemoryPoint& point) {
  // One visit says nothing of its error. On a busy Emerald Rapids, footprints of one level that
  // were visited once lay apart as far, and made levels that there are not.
  constexpr double kUnclearErrorShare = 0.15;
  const double error = statistics::ErrorOf(point.cycles, point.visits);
  return IsClear(point) ? error : std::max(error, kUnclearErrorShare * point.cycles.value);
}

MemoryCurve UsableOf(const MemoryCurve& measured) {
  // Where a neighbour is there nearly always, many of the visits that look quiet are not.
  constexpr double kMaxContendedShare = 0.75;
  MemoryCurve curve = measured;
  if (curve.contended_share > kMaxContendedShare) {
    for (MemoryPoint& point : curve.points) point.contended = true;
  }
  MemoryCurve usable = curve;
  usable.points.clear();
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const MemoryPoint& point = curve.points[i];
    const bool disturbed =
        std::any_of(curve.points.begin() + static_cast<std::ptrdiff_t>(i) + 1, curve.points.end(),
                    [&](const MemoryPoint& larger) { return TookClearlyLonger(point, larger); });
    if (disturbed || (!IsClear(point) && IsBetweenClearOnes(curve, i))) continue;
    usable.points.push_back(point);
  }
  return usable;
}

}  // namespace cyclescope::curves
