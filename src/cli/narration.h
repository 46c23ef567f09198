// What goes to standard error: errors, warnings, and progress on a terminal.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/measure.h"
#include "cyclescope/progress.h"
#include "cyclescope/result/document.h"
#include "report/text_style.h"

namespace cyclescope::cli {

// Writes to standard error at once, as far as that takes anything: where it is closed or full, the
// program goes on without.
void Tell(std::string_view text);

// "cyclescope: ..." in one line.
void PrintError(const Error& error);
// The same for assembly: with the line, and a caret under the place.
void PrintProblem(const TextProblem& problem);
// Writes the line to standard error as it stands.
void PrintLine(std::string_view line);
void PrintWarnings(const std::vector<Warning>& warnings);

// A line that says how far long work is. Silent unless standard error is a terminal, and during the
// first second.
//
//   ProgressLine line("frequency", cpus.size());
//   for (std::size_t done = 0; done < cpus.size();) { ...; line.Set(++done); }
class ProgressLine {
 public:
  ProgressLine(std::string_view what, std::size_t total);
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // How far the work is. `detail` goes behind the numbers.
  void Set(std::size_t done, std::string_view detail = {});

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

// Shows the progress of the library's work, part by part, and ends it when the user interrupts.
// What is shown goes when the last copy of the function does.
OnProgress Narrate(const TextStyle& style);

}  // namespace cyclescope::cli
