// What goes to standard error: warnings, and progress on a terminal.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cyclescope/progress.h"
#include "result/document.h"

namespace cyclescope::cli {

// "cyclescope: ..." in one line.
void PrintError(const Error& error);
void PrintWarnings(const std::vector<Warning>& warnings);

// A line that says how far long work is. Silent unless standard error is a terminal, and during the
// first second.
//
//   ProgressLine progress("measuring", cpus.size());
//   for (int cpu : cpus) { ...; progress.Advance(); }
class ProgressLine {
 public:
  ProgressLine(std::string_view what, std::size_t total);
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // `detail` goes behind the numbers.
  void Advance(std::size_t steps = 1, std::string_view detail = {});

  // How far the work is.
  void Set(std::size_t done) { Advance(done - done_); }

  // Takes the line away, so that something else can be printed.
  void Clear();

 private:
  using SteadyClock = std::chrono::steady_clock;

  void Draw(SteadyClock::time_point now, std::string_view detail);

  std::string what_;
  std::size_t total_;
  std::size_t done_ = 0;
  bool on_terminal_;
  bool drawn_ = false;
  SteadyClock::time_point begin_;
  SteadyClock::time_point last_drawn_;
};

// A line of progress for the library's work, which ends when the user interrupts.
OnProgress NarrateProgress(std::string_view what);

}  // namespace cyclescope::cli
