#include "sandbox/call_order.h"

#include <cassert>

namespace cyclescope::sandbox {

std::optional<std::size_t> CallOrder::Next() {
  if (ended_) return std::nullopt;
  while (!too_slow_ && next_ < calls_.size() && calls_[next_].max_retries != 0) ++next_;
  return next_ < calls_.size() ? std::optional(next_) : std::nullopt;
}

std::uint16_t CallOrder::looks() const {
  assert(next_ < calls_.size());
  return calls_[next_].max_retries == 0 ? 0 : static_cast<std::uint16_t>(looks_made_ + 1);
}

void CallOrder::Made(std::uint64_t ticks) {
  const Call& call = calls_[next_++];
  const std::uint64_t compared = before_[0];
  before_ = {before_[1], ticks};
  if (call.most_percent == 0) return;
  too_slow_ = ticks * 100 > compared * call.most_percent;
  if (!too_slow_) return;
  if (call.max_retries == 0) {
    look_begin_ = next_;
    looks_made_ = 0;
    ended_ = next_ == calls_.size() || calls_[next_].max_retries == 0;
  } else if (++looks_made_ < call.max_retries) {
    next_ = look_begin_;
  } else {
    ended_ = true;
  }
}

}  // namespace cyclescope::sandbox
