// Which points of a curve to measure: a few per doubling first, then those that narrow down where
// its plateaus end. Ends are measured twice, since a disturbance looks like one.
//
//   const Curve curve = ExploreCurve({.least = 4, .most = 16384}, {}, measure);
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "anatomy/plateaus.h"

namespace cyclescope::anatomy {

struct CurveRange {
  std::int64_t least = 1;
  std::int64_t most = 1;
  std::int64_t unit = 1;    // points are multiples of it
  int per_doubling = 4;     // at first
  double fineness = 0.015;  // a plateau's end is known well enough at this share of it
};

struct Curve {
  std::vector<CurvePoint> points;  // ascending
  std::vector<Plateau> plateaus;
};

// One point for each; unset where it could not be measured. `at` need not be set.
using MeasurePoints =
    std::function<std::vector<std::optional<CurvePoint>>(std::span<const std::int64_t>)>;

Curve ExploreCurve(const CurveRange& range, const PlateauLimits& limits,
                   const MeasurePoints& measure);

}  // namespace cyclescope::anatomy
