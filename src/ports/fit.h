// How well a prediction fits a measured time.
#pragma once

#include <algorithm>

namespace cyclescope::ports {

// 0 for a perfect fit, more for a worse one; sums of it are compared. A core can take longer than
// its ports need, since it binds µops to ports before it knows what else comes: unions of integer
// ports on Redwood Cove take up to a tenth longer. It cannot take less time, but for noise.
inline double Misfit(double measured, double predicted) {
  constexpr double kLonger = 0.03;
  constexpr double kShorter = 0.008;
  // What is lost to early binding does not grow with the length of a mix.
  constexpr double kLong = 4;  // cycles
  const double off = measured - predicted;
  return off > 0 ? off / (kLonger * std::min(predicted, kLong)) : -off / (kShorter * predicted);
}

}  // namespace cyclescope::ports
