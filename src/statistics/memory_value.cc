
#include <algorithm>
#include <cmath>

#include "statistics/sample_groups.h"
#include "statistics/statistics.h"

namespace cyclescope::statistics {
namespace {

// True if the range of this number of samples covers their median less often than `confidence`.
bool AreFew(std::size_t samples, double confidence) {
  return 2 * std::pow(0.5, samples) > 1 - confidence;
}

double StandardErrors(std::size_t samples, double confidence) {
  return StudentQuantile((1 + confidence) / 2, static_cast<int>(samples) - 1);
}

}  // namespace

MemoryValue ValueOf(const std::vector<double>& values, double confidence, double doubt) {
  const double median = Median(values);
  Interval interval = MedianInterval(values, confidence);
  if (values.size() > 1 && AreFew(values.size(), confidence)) {
    const double half_width =
        StandardErrors(values.size(), confidence) * TrimmedOf(values, 0).error;
    interval = {std::min(interval.low, median - half_width),
                std::max(interval.high, median + half_width)};
  }
  const double systematic = kSystematicDoubt * median;
  // Nothing takes less than no time, however little is known of it.
  const double low = std::min(interval.low, median - systematic) - doubt * median;
  return {median, median > 0 ? std::max(low, 0.0) : low,
          std::max(interval.high, median + systematic) + doubt * median};
}

double ErrorOf(const MemoryValue& value, int samples, double confidence) {
  const auto count = static_cast<std::size_t>(samples);
  const double errors =
      samples > 1 && AreFew(count, confidence) ? StandardErrors(count, confidence) : 2;
  // An interval that was cut off at zero tells its width on the other side only.
  const double above = value.high - value.value;
  const double narrower = value.low > 0 ? std::min(above, value.value - value.low) : above;
  return std::max(narrower / errors, kSystematicDoubt / 2 * value.value);
}

}  // namespace cyclescope::statistics
