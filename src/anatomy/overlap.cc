#include "anatomy/overlap.h"

#include <limits>

namespace cyclescope::anatomy {

double OverlapOf(const HeadTimes& times, const HeadTimes& side_by_side) {
  // Two misses that overlap take half as long; somewhat more where one waits for the other now and
  // then. Less than this is no overlap.
  constexpr double kMinSavedShare = 0.2;
  const double saved = 1 - side_by_side.two_chains_ns / side_by_side.one_chain_ns;
  if (!(saved > kMinSavedShare)) return std::numeric_limits<double>::quiet_NaN();
  return (1 - times.two_chains_ns / times.one_chain_ns) / saved;
}

}  // namespace cyclescope::anatomy
