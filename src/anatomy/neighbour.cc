#include "anatomy/neighbour.h"

#include <utility>

namespace cyclescope::anatomy {

// Another program may run there while our thread does not, which says nothing about the candidate.
Neighbour::Verdict Neighbour::Try(const RunOnOtherCpu& candidate,
                                  const std::function<bool()>& is_alone) {
  constexpr int kTimes = 3;
  for (int i = 0; i < kTimes; ++i) {
    candidate(/*begins=*/true);
    const bool alone_beside_it = is_alone();
    candidate(/*begins=*/false);
    if (alone_beside_it) return Verdict::kElsewhere;
    if (!is_alone()) return Verdict::kUnclear;
  }
  return Verdict::kOnOurCore;
}

void Neighbour::Find(const std::function<bool()>& is_alone, const GoesOn& goes_on) {
  constexpr int kAttempts = 4;
  for (int attempt = 0; attempt < kAttempts && !found_; ++attempt) {
    std::vector<RunOnOtherCpu> unclear;
    for (RunOnOtherCpu& candidate : unsettled_) {
      const Verdict verdict = found_ || !goes_on() ? Verdict::kUnclear : Try(candidate, is_alone);
      if (verdict == Verdict::kOnOurCore) found_ = candidate;
      if (verdict == Verdict::kUnclear) unclear.push_back(std::move(candidate));
    }
    unsettled_ = std::move(unclear);
  }
}

void Neighbour::StartAgain() {
  Set(false);
  found_.reset();
  unsettled_ = candidates_;
}

bool Neighbour::Set(bool runs) {
  if (!found_ || runs == runs_) return false;
  (*found_)(runs);
  runs_ = runs;
  alone_in_turn_ = 0;
  return true;
}

void Neighbour::Saw(bool alone) {
  constexpr int kMostInTurn = 6;
  if (!runs_) return;
  alone_in_turn_ = alone ? alone_in_turn_ + 1 : 0;
  if (alone_in_turn_ < kMostInTurn) return;
  Set(false);
  found_.reset();
}

}  // namespace cyclescope::anatomy
