// Which port a µop goes to: chosen at dispatch, before it is known which µop is critical.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "predict/core_model.h"

namespace cyclescope::predict {

class PortChooser {
 public:
  // µops for `alternating`, a pair of ports, go to one and the other.
  PortChooser(PortChoice choice, PortSet alternating)
      : choice_(choice), alternating_(alternating) {}

  void BeginCycle(std::int64_t now);
  // For a µop of this slot of the cycle.
  int Choose(PortSet ports, std::int64_t slot);
  void Started(std::size_t port, std::int64_t now);

  int WaitingFor(std::size_t port) const { return waiting_[port]; }
  // What else decides about the next: a part of the core's state.
  std::uint64_t State(std::int64_t now) const;

 private:
  using PortCounts = std::array<int, kMostPorts>;

  int FewestAndNext(PortSet ports, const PortCounts& waiting, bool takes_next) const;
  int ByTurnOfSet(PortSet ports);

  PortChoice choice_;
  PortSet alternating_ = 0;
  bool is_second_ = false;  // of the pair, the last one
  PortCounts waiting_{};    // by port: bound to it, and not known to have started
  PortCounts waited_{};     // the same when the cycle began
  // µops that started, and which that is not known of yet.
  std::vector<std::pair<std::int64_t, std::size_t>> started_;
  std::vector<std::pair<PortSet, int>> turns_;  // of sets of ports, in this cycle
  int bound_ = 0;                               // µops so far, as far as it decides about ties
};

}  // namespace cyclescope::predict
