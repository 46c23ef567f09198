#include "curves/miss_shape.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cyclescope::curves {
namespace {

// That a Poisson variable is at least `count`.
double PoissonReaches(int count, double mean) {
  double below = 0;
  for (int i = 0; i < count; ++i) below += std::exp(i * std::log(mean) - mean - std::lgamma(i + 1));
  return std::clamp(1 - below, 0.0, 1.0);
}

double RandomReplacement(double ratio) {
  if (ratio <= 1) return 0;
  // The equation always has the solution h = 1; the other one lies below 1 / ratio, where Newton's
  // steps go up to it.
  double hit = 0;
  for (int i = 0; i < 30; ++i) {
    const double value = std::exp(-(1 - hit) * ratio);
    hit -= (hit - value) / (1 - ratio * value);
  }
  return 1 - hit;
}

}  // namespace

double MissedShare(MissShape shape, double ratio) {
  if (ratio <= 0) return 0;
  switch (shape.filling) {
    case Filling::kEven:
      return std::clamp((ratio - 1) * shape.ways, 0.0, 1.0);
    case Filling::kScattered:
      return PoissonReaches(shape.ways, ratio * shape.ways);
    case Filling::kRandom:
      return RandomReplacement(ratio);
    case Filling::kKeeping:
      return ratio <= 1 ? 0 : 1 - 1 / ratio;
  }
  std::unreachable();
}

}  // namespace cyclescope::curves
