// Which call of a run comes next. Mostly the one behind the last; but a call that is too slow ends
// the run, or asks for a second look (see Call).
//
//   CallOrder order(calls);
//   while (const auto place = order.Next()) order.Made(Time(calls[*place]).ticks);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sandbox/call.h"

namespace cyclescope::sandbox {

class CallOrder {
 public:
  explicit CallOrder(std::span<const Call> calls) : calls_(calls) {}

  // The place of the call to make now; unset at the end of the run.
  std::optional<std::size_t> Next();
  // How often the look that this call belongs to is made now; 0 where it belongs to none. Only when
  // there is such a call.
  std::uint16_t looks() const;
  // What that call took.
  void Made(std::uint64_t ticks);
  // How many calls the run went through. Looks that were not needed are among them.
  std::size_t passed() const { return next_; }

 private:
  std::span<const Call> calls_;
  std::size_t next_ = 0;
  std::array<std::uint64_t, 2> before_{};  // the ticks of the last two
  bool too_slow_ = false;                  // the last call that may have been
  bool ended_ = false;
  std::size_t look_begin_ = 0;
  std::uint16_t looks_made_ = 0;
};

}  // namespace cyclescope::sandbox
