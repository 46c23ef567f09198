// The matrix on a terminal while it is being filled, round by round, above a line of progress.
#pragma once

#include <chrono>
#include <string_view>

#include "cli/narration.h"
#include "cyclescope/result/cores.h"
#include "report/text_style.h"

namespace cyclescope::cli {

// Draws on standard error, and only where that is a terminal on which the matrix fits; else, and
// for short runs, it is the progress line alone. Gone without a trace when destroyed.
class LiveMatrix {
 public:
  LiveMatrix(std::string_view what, std::size_t steps, std::size_t cpus, const TextStyle& style);
  ~LiveMatrix() { Clear(); }
  LiveMatrix(const LiveMatrix&) = delete;
  LiveMatrix& operator=(const LiveMatrix&) = delete;

  void Update(const CoreMatrix& so_far, std::size_t steps_done);

 private:
  using SteadyClock = std::chrono::steady_clock;

  void Clear();

  ProgressLine progress_;
  TextStyle style_;
  bool fits_ = false;
  std::size_t lines_drawn_ = 0;
  SteadyClock::time_point last_drawn_;
};

}  // namespace cyclescope::cli
