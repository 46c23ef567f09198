// Numbers that are whole on a core, and measured with noise.
#pragma once

#include <cmath>

namespace cyclescope::predict {

// What differs from a whole number by no more is that number: cores are built of whole ones.
inline double WholeIfNear(double value, double share) {
  const double whole = std::round(value);
  return std::abs(value - whole) <= share * whole ? whole : value;
}

inline bool IsBetween(double value, double least, double most) {
  return value >= least && value <= most;
}

}  // namespace cyclescope::predict
