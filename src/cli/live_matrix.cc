#include "cli/live_matrix.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "cli/narration.h"
#include "cli/outputs.h"
#include "os/terminal.h"
#include "report/core_grid.h"

namespace cyclescope::cli {
namespace {

// What CoreGridText takes for a row's name and for each CPU.
constexpr std::size_t kNameWidth = 5;
constexpr std::size_t kCellWidth = 6;

bool Fits(std::size_t cpus) {
  if (!IsWatched(os::Stream::kError)) return false;
  const auto width = static_cast<std::size_t>(os::TerminalWidth(os::Stream::kError).value_or(0));
  const auto height = static_cast<std::size_t>(os::TerminalHeight(os::Stream::kError).value_or(0));
  // Besides the rows: the header, two lines of legend, the progress.
  return kNameWidth + cpus * kCellWidth < width && cpus + 4 < height;
}

}  // namespace

LiveMatrix::LiveMatrix(std::string_view what, std::size_t steps, std::size_t cpus,
                       const TextStyle& style)
    : progress_(what, steps), style_(style), fits_(Fits(cpus)), last_drawn_(SteadyClock::now()) {}

void LiveMatrix::Update(const CoreMatrix& so_far, std::size_t steps_done) {
  constexpr std::chrono::milliseconds kBetweenDrawings(250);
  const auto now = SteadyClock::now();
  if (fits_ && now - last_drawn_ >= kBetweenDrawings) {
    Clear();
    const std::string grid = CoreGridText(so_far, {}, style_);
    Tell(grid);
    lines_drawn_ = static_cast<std::size_t>(std::ranges::count(grid, '\n'));
    last_drawn_ = now;
  }
  progress_.Set(steps_done,
                fmt::format("{} round{} complete", so_far.rounds, so_far.rounds == 1 ? "" : "s"));
}

void LiveMatrix::Clear() {
  progress_.Clear();
  if (lines_drawn_ > 0) Tell(fmt::format("\x1b[{}A\x1b[J", lines_drawn_));
  lines_drawn_ = 0;
}

}  // namespace cyclescope::cli
