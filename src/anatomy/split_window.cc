#include "anatomy/split_window.h"

#include <algorithm>

namespace cyclescope::anatomy {

std::optional<SplitWindow> SplitInHalves(const AnatomyValue& whole, const AnatomyValue& part) {
  // A pool that two threads share leaves more than the half to each; less than the half by more
  // than this share of the whole is something else.
  constexpr double kMostKeptShare = 0.1;
  const double kept_free = whole.value - 2 * part.value;
  if (whole.low - 2 * part.high <= 0 || kept_free > kMostKeptShare * whole.value)
    return std::nullopt;
  const AnatomyValue size = {.value = whole.value + kept_free,
                             .low = std::max(whole.low, 2 * (whole.low - part.high)),
                             .high = 2 * (whole.high - part.low)};
  return SplitWindow{.size = size,
                     .part = {size.value / 2, size.low / 2, size.high / 2},
                     .kept_free = kept_free};
}

}  // namespace cyclescope::anatomy
