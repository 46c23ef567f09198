// Progress of long work: tells the caller how far it is, and asks whether to go on.
//
//   Pulse pulse(on_progress, request.budget_s);
//   for (const Job& job : jobs) {
//     ... pulse.GoesOn() is asked within ...
//     if (!pulse.Report({.done = ++done, .total = jobs.size(), .part = "instructions"})) break;
//   }
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>

#include "base/work.h"
#include "cyclescope/progress.h"

namespace cyclescope::library {

// For several threads at once. Once it said no, it says so for ever.
class Pulse {
 public:
  // The budget, where there is one, runs from now.
  explicit Pulse(OnProgress on_progress, std::optional<double> budget_s = std::nullopt);

  // Tells the caller of a step. False: end with what there is.
  bool Report(const Progress& progress);

  // The same question within a step. The caller hears of it several times a second, not each time.
  bool GoesOn();

  // The same for what has to be done even when the budget is spent: only the caller can end it.
  bool CallerGoesOn();

  bool has_ended() const { return ended_; }

  // For layers that know nothing of progress. It must not outlive the pulse.
  cyclescope::GoesOn Question() {
    return [this] { return GoesOn(); };
  }

 private:
  using SteadyClock = std::chrono::steady_clock;

  bool Ask(const Progress& progress);

  static constexpr std::chrono::milliseconds kQuestionInterval{50};

  OnProgress on_progress_;
  std::optional<SteadyClock::time_point> deadline_;
  std::atomic<bool> ended_ = false;
  std::atomic<bool> caller_ended_ = false;
  std::mutex asking_;  // guards what is below, and the caller's function
  Progress last_;
  SteadyClock::time_point last_asked_;
};

}  // namespace cyclescope::library
