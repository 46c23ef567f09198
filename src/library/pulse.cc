#include "library/pulse.h"

#include <utility>

namespace cyclescope::library {

Pulse::Pulse(OnProgress on_progress, std::optional<double> budget_s)
    : on_progress_(std::move(on_progress)) {
  if (budget_s) {
    deadline_ = SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(
                                         std::chrono::duration<double>(*budget_s));
  }
}

bool Pulse::Report(const Progress& progress) {
  const std::lock_guard lock(asking_);
  last_ = progress;
  last_.matrix = nullptr;  // they are there for this call only
  last_.row = nullptr;
  return Ask(progress);
}

bool Pulse::GoesOn() {
  if (deadline_ && SteadyClock::now() >= *deadline_) ended_ = true;
  return CallerGoesOn() && !ended_;
}

bool Pulse::CallerGoesOn() {
  if (caller_ended_) return false;
  const std::unique_lock lock(asking_, std::try_to_lock);
  if (!lock.owns_lock()) return !caller_ended_;  // another thread is asking
  if (SteadyClock::now() - last_asked_ < kQuestionInterval) return true;
  Ask(last_);
  return !caller_ended_;
}

bool Pulse::Ask(const Progress& progress) {
  last_asked_ = SteadyClock::now();
  if (deadline_ && last_asked_ >= *deadline_) ended_ = true;
  if (on_progress_ && !caller_ended_ && !on_progress_(progress)) ended_ = caller_ended_ = true;
  return !ended_;
}

}  // namespace cyclescope::library
