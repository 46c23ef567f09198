#include "serve/rate_limit.h"

namespace cyclescope::serve {

bool RateLimit::Allows(Clock::time_point now) {
  const double seconds = std::chrono::duration<double>(now - last_).count();
  last_ = now;
  left_ = std::min(most_, left_ + seconds * per_second_);
  if (left_ < 1) return false;
  left_ -= 1;
  return true;
}

}  // namespace cyclescope::serve
