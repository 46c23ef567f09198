#include "cli/narration.h"

#include <fmt/core.h>

#include <cstdio>
#include <memory>

#include "os/interrupt.h"
#include "os/terminal.h"

namespace cyclescope::cli {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::seconds;

void PrintError(const Error& error) { fmt::print(stderr, "cyclescope: {}\n", error.ToString()); }

void PrintWarnings(const std::vector<Warning>& warnings) {
  for (const Warning& warning : warnings) {
    fmt::print(stderr, "warning: {}{}{}\n", warning.message, warning.hint.empty() ? "" : "; ",
               warning.hint);
  }
}

ProgressLine::ProgressLine(std::string_view what, std::size_t total)
    : what_(what),
      total_(total),
      on_terminal_(os::IsTerminal(os::Stream::kError)),
      begin_(SteadyClock::now()),
      last_drawn_(begin_) {}

void ProgressLine::Advance(std::size_t steps, std::string_view detail) {
  done_ += steps;
  if (!on_terminal_) return;
  const auto now = SteadyClock::now();
  if (now - begin_ < seconds(1) || now - last_drawn_ < milliseconds(100)) return;
  Draw(now, detail);
}

void ProgressLine::Draw(SteadyClock::time_point now, std::string_view detail) {
  const double elapsed_s = duration<double>(now - begin_).count();
  const double left_s =
      elapsed_s * static_cast<double>(total_ - done_) / static_cast<double>(done_);
  fmt::print(stderr, "\r\x1b[K{}: {} of {}, {:.3g} per second, about {:.0f} s left{}{}", what_,
             done_, total_, static_cast<double>(done_) / elapsed_s, left_s,
             detail.empty() ? "" : "; ", detail);
  std::fflush(stderr);
  last_drawn_ = now;
  drawn_ = true;
}

void ProgressLine::Clear() {
  if (!drawn_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

OnProgress NarrateProgress(std::string_view what) {
  return [what, line = std::shared_ptr<ProgressLine>()](Progress progress) mutable {
    if (line == nullptr) line = std::make_shared<ProgressLine>(what, progress.total);
    line->Set(progress.done);
    return !os::Interrupted();
  };
}

}  // namespace cyclescope::cli
