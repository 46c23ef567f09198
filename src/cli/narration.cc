#include "cli/narration.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <map>
#include <memory>
#include <optional>

#include "cli/live_matrix.h"
#include "cli/outputs.h"
#include "os/interrupt.h"
#include "os/terminal.h"

namespace cyclescope::cli {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

// Shows one part of the work after the other: a line for most, a matrix for latency between cores.
class Narrator {
 public:
  explicit Narrator(const TextStyle& style) : style_(style) {}

  void Show(const Progress& progress) {
    if (progress.part != part_) {
      part_ = progress.part;
      line_.reset();
      matrix_.reset();
      failures_.clear();
    }
    if (progress.row != nullptr && progress.row->status != Status::kMeasured)
      ++failures_[progress.row->status];
    if (progress.matrix != nullptr) {
      if (!matrix_) matrix_.emplace(part_, progress.total, progress.matrix->cpus.size(), style_);
      matrix_->Update(*progress.matrix, progress.done);
    } else if (!matrix_) {
      if (!line_) line_.emplace(part_, progress.total);
      line_->Set(progress.done, FailureText());
    }
  }

 private:
  // "3 crashed, 9 privileged"
  std::string FailureText() const {
    std::vector<std::string> parts;
    for (const auto& [status, count] : failures_)
      parts.push_back(fmt::format("{} {}", count, ToString(status)));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  TextStyle style_;
  std::string part_;
  std::optional<ProgressLine> line_;
  std::optional<LiveMatrix> matrix_;
  std::map<Status, int> failures_;
};

}  // namespace

void Tell(std::string_view text) {
  const bool is_told = std::fwrite(text.data(), 1, text.size(), stderr) == text.size();
  if (!is_told || std::fflush(stderr) != 0) std::clearerr(stderr);
}

void PrintError(const Error& error) { Tell(fmt::format("cyclescope: {}\n", error.ToString())); }

void PrintProblem(const TextProblem& problem) {
  PrintError(problem.ToError());
  const std::string& excerpt = problem.excerpt;
  if (!excerpt.empty()) Tell(excerpt + (excerpt.ends_with('\n') ? "" : "\n"));
}

void PrintLine(std::string_view line) { Tell(fmt::format("{}\n", line)); }

void PrintWarnings(const std::vector<Warning>& warnings) {
  for (const Warning& warning : warnings) {
    PrintLine(fmt::format("warning: {}{}{}", warning.message, warning.hint.empty() ? "" : "; ",
                          warning.hint));
  }
}

ProgressLine::ProgressLine(std::string_view what, std::size_t total)
    : what_(what),
      total_(total),
      on_terminal_(IsWatched(os::Stream::kError)),
      begin_(SteadyClock::now()),
      last_drawn_(begin_) {}

void ProgressLine::Set(std::size_t done, std::string_view detail) {
  done_ = done;
  if (!on_terminal_ || total_ == 0) return;
  const auto now = SteadyClock::now();
  if (now - begin_ < seconds(1) || now - last_drawn_ < milliseconds(100)) return;
  Draw(now, detail);
}

void ProgressLine::Draw(SteadyClock::time_point now, std::string_view detail) {
  const double elapsed_s = duration<double>(now - begin_).count();
  // Before the first step is done it is not known how long they take.
  const std::string pace =
      done_ == 0
          ? fmt::format("{:.0f} s so far", elapsed_s)
          : fmt::format(
                "{:.3g} per second, about {:.0f} s left", static_cast<double>(done_) / elapsed_s,
                elapsed_s * static_cast<double>(total_ - done_) / static_cast<double>(done_));
  Tell(fmt::format("\r\x1b[K{}: {} of {}, {}{}{}", what_, done_, total_, pace,
                   detail.empty() ? "" : "; ", detail));
  last_drawn_ = now;
  drawn_ = true;
}

void ProgressLine::Clear() {
  if (!drawn_) return;
  Tell("\r\x1b[K");
  drawn_ = false;
}

OnProgress Narrate(const TextStyle& style) {
  return [narrator = std::make_shared<Narrator>(style)](const Progress& progress) {
    narrator->Show(progress);
    return !os::Interrupted();
  };
}

}  // namespace cyclescope::cli
