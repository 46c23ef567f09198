// Which port a µop goes to: chosen at dispatch, before it is known which µop is critical.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "predict/core_model.h"

namespace cyclescope::predict {

class PortChooser {
 public:
  // µops for `alternating`, a pair of ports, go to one and the other.
  PortChooser(PortChoice choice, PortSet alternating)
      : choice_(choice), alternating_(alternating) {}

  void BeginCycle() {
    if (choice_ == PortChoice::kInTurn) waited_ = waiting_;
  }

  // For a µop of this slot of the cycle; of several ports that are equal, the last.
  int Choose(PortSet ports, std::int64_t slot) {
    constexpr int kPendingMargin = 3;
    if (ports == alternating_) {
      is_second_ = !is_second_;
      const int port = is_second_ ? std::bit_width(ports) - 1 : std::countr_zero(ports);
      ++waiting_[static_cast<std::size_t>(port)];
      return port;
    }
    const bool in_turn = choice_ == PortChoice::kInTurn;
    const PortCounts& waiting = in_turn ? waited_ : waiting_;
    int best = -1;
    int next = -1;
    for (PortSet left = ports; left != 0;) {
      const int port = std::bit_width(left) - 1;
      left ^= PortSet{1} << port;
      const auto fewer = [&](int other) {
        return other < 0 ||
               waiting[static_cast<std::size_t>(port)] < waiting[static_cast<std::size_t>(other)];
      };
      if (fewer(best)) {
        next = best;
        best = port;
      } else if (fewer(next)) {
        next = port;
      }
    }
    const bool takes_next = in_turn && slot % 2 == 1 && next >= 0 &&
                            waiting[static_cast<std::size_t>(next)] <
                                waiting[static_cast<std::size_t>(best)] + kPendingMargin;
    const int chosen = takes_next ? next : best;
    ++waiting_[static_cast<std::size_t>(chosen)];
    return chosen;
  }

  void Started(std::size_t port) { --waiting_[port]; }
  // Which of the pair comes next: a part of the core's state.
  bool is_second() const { return is_second_; }
  int WaitingFor(std::size_t port) const { return waiting_[port]; }

 private:
  using PortCounts = std::array<int, kMostPorts>;

  PortChoice choice_;
  PortSet alternating_ = 0;
  bool is_second_ = false;
  PortCounts waiting_{};  // by port: bound to it, and not started
  PortCounts waited_{};   // the same when the cycle began
};

}  // namespace cyclescope::predict
