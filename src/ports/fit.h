// How well a prediction fits a measured time.
#pragma once

#include <algorithm>
#include <cmath>

namespace cyclescope::ports {

// 0 for a perfect fit, more for a worse one; sums of it are compared. A core can take longer than
// its ports need, since it binds µops to ports before it knows what else comes: unions of integer
// ports on Redwood Cove take up to a tenth longer. It cannot take less time, but for noise.
inline double Misfit(double measured, double predicted) {
  constexpr double kLateBindingShare = 0.03;
  constexpr double kTooFastShare = 0.008;
  // What is lost to early binding does not grow with the length of a mix.
  constexpr double kLateBindingCycles = 4;  // cycles
  // But noise does: this is what a value may be off by when its visits end.
  constexpr double kNoiseShare = 0.005;
  const double off = measured - predicted;
  const double share = off > 0 ? kLateBindingShare : kTooFastShare;
  return std::abs(off) /
         std::max(share * std::min(predicted, kLateBindingCycles), kNoiseShare * predicted);
}

}  // namespace cyclescope::ports
