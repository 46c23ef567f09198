// A thread of ours on another CPU of the core, so that the core is shared when we want it to be.
//
// Which CPU that is, the system need not say: virtual machines are told of cores of their own and
// run on the two threads of one. So it is tried out. A CPU is on our core if its windows are split
// whenever our thread runs there, and whole whenever it does not.
//
//   Neighbour neighbour(candidates);
//   neighbour.Find(is_alone, goes_on);
//   if (neighbour.IsFound()) neighbour.Set(true);
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/work.h"

namespace cyclescope::anatomy {

// Starts (true) or ends (false) a thread of ours on one other CPU. Ending it twice is once.
using RunOnOtherCpu = std::function<void(bool begins)>;

class Neighbour {
 public:
  explicit Neighbour(const std::vector<RunOnOtherCpu>& candidates)
      : candidates_(candidates), unsettled_(candidates) {}
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;
  ~Neighbour() { Set(false); }

  // Tries those candidates that are not known to be elsewhere, in their order. `is_alone` looks at
  // the core now.
  void Find(const std::function<bool()>& is_alone, const GoesOn& goes_on);
  // What `is_alone` said was wrong: nothing is known of any candidate.
  void StartAgain();
  bool IsFound() const { return found_.has_value(); }

  // Where one was found. Returns whether that changed anything.
  bool Set(bool runs);
  bool runs() const { return runs_; }
  // What was seen while it ran. One that does not share the core any more is given up: virtual
  // CPUs move.
  void Saw(bool alone);

 private:
  enum class Verdict { kOnOurCore, kElsewhere, kUnclear };
  static Verdict Try(const RunOnOtherCpu& candidate, const std::function<bool()>& is_alone);

  std::vector<RunOnOtherCpu> candidates_;
  std::vector<RunOnOtherCpu> unsettled_;  // those that may still be on our core
  std::optional<RunOnOtherCpu> found_;
  bool runs_ = false;
  int alone_in_turn_ = 0;  // looks, while it ran
};

}  // namespace cyclescope::anatomy
