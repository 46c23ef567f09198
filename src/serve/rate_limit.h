// How many requests are answered: a number at once, and then a number in each second.
#pragma once

#include <algorithm>
#include <chrono>

namespace cyclescope::serve {

class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;

  RateLimit(double most_at_once, double per_second)
      : most_(most_at_once), per_second_(per_second), left_(most_at_once) {}

  // True if one more is answered now.
  bool Allows(Clock::time_point now);

 private:
  double most_;
  double per_second_;
  double left_;
  Clock::time_point last_;
};

}  // namespace cyclescope::serve
