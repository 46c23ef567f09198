#include "memory/values.h"

#include <algorithm>
#include <cmath>

#include "measure/experiment.h"
#include "measure/statistics.h"

namespace cyclescope::memory {
namespace {

// Whether the range of so many samples covers their median less often than `confidence`.
bool AreFew(std::size_t samples, double confidence) {
  return 2 * std::pow(0.5, samples) > 1 - confidence;
}

double StandardErrors(std::size_t samples, double confidence) {
  return measure::StudentQuantile((1 + confidence) / 2, static_cast<int>(samples) - 1);
}

}  // namespace

MemoryValue ValueOf(const std::vector<double>& values, double confidence, double doubt) {
  const double median = measure::Median(values);
  measure::Interval interval = measure::MedianInterval(values, confidence);
  if (values.size() > 1 && AreFew(values.size(), confidence)) {
    const double half_width =
        StandardErrors(values.size(), confidence) * measure::TrimmedOf(values, 0).error;
    interval = {std::min(interval.low, median - half_width),
                std::max(interval.high, median + half_width)};
  }
  const double systematic = measure::kSystematicDoubt * median;
  return {median, std::min(interval.low, median - systematic) - doubt * median,
          std::max(interval.high, median + systematic) + doubt * median};
}

double ErrorOf(const MemoryValue& value, int samples, double confidence) {
  const auto count = static_cast<std::size_t>(samples);
  const double errors =
      samples > 1 && AreFew(count, confidence) ? StandardErrors(count, confidence) : 2;
  const double narrower = std::min(value.high - value.value, value.value - value.low);
  return std::max(narrower / errors, measure::kSystematicDoubt / 2 * value.value);
}

}  // namespace cyclescope::memory
