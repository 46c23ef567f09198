#include "memory/time_plan.h"

#include <algorithm>

namespace cyclescope::memory {

void TimePlan::Begin(double weight, double weight_left) {
  const std::int64_t now = now_();
  const auto left = static_cast<double>(std::max<std::int64_t>(end_ns_ - now, 0));
  part_end_ns_ = now + static_cast<std::int64_t>(left * weight / weight_left);
}

bool TimePlan::HasTimeFor(std::int64_t bytes) const {
  return static_cast<double>(now_()) + ns_per_byte_ * static_cast<double>(bytes) <
         static_cast<double>(part_end_ns_);
}

void TimePlan::Took(std::int64_t bytes, std::int64_t nanoseconds) {
  ns_per_byte_ = static_cast<double>(nanoseconds) / static_cast<double>(bytes);
}

}  // namespace cyclescope::memory
