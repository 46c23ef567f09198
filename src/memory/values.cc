#include "memory/values.h"

#include <algorithm>

#include "measure/statistics.h"

namespace cyclescope::memory {

MemoryValue ValueOf(const std::vector<double>& values, double confidence, double doubt) {
  // What no repetition shows: the reference, and the loop around the loads.
  constexpr double kSystematic = 0.0025;
  const double median = measure::Median(values);
  const measure::Interval interval = measure::MedianInterval(values, confidence);
  return {median, std::min(interval.low, median * (1 - kSystematic)) - doubt * median,
          std::max(interval.high, median * (1 + kSystematic)) + doubt * median};
}

}  // namespace cyclescope::memory
