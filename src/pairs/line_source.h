// Where the times of lines between CPUs come from: threads on this machine, or a simulated one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cyclescope/base/error.h"

namespace cyclescope::pairs {

// `first` makes the first move and holds the clock.
struct CpuPair {
  int first = 0;
  int second = 0;

  bool operator==(const CpuPair&) const = default;
};

// How lines are used: `batches` batches of `round_trips` round trips on each, after a warm-up that
// is not timed.
struct LinePlan {
  int lines = 64;
  int batches = 3;
  int round_trips = 30;
  int warm_up = 10;            // round trips
  std::int64_t budget_ns = 0;  // after this time no further line is begun
};

// What one set of fresh lines gave for one pair.
struct LineDraw {
  int batches = 0;                     // per line
  std::vector<double> batch_ns;        // one way, line after line
  std::vector<double> offset_ns;       // likewise: the second CPU's clock less the first's; empty
                                       // unless the test can tell
  std::vector<std::uint8_t> switched;  // per line: whether a side was taken off its CPU
  bool timed_out = false;              // a side did not answer; the lines before that are here

  std::size_t lines() const { return switched.size(); }
};

class LineSource {
 public:
  virtual ~LineSource() = default;

  // Draws fresh lines for each pair and measures all pairs at once; no CPU may be in two of them.
  // A pair that does not answer is data (LineDraw::timed_out), not an error.
  virtual Result<std::vector<LineDraw>> Draw(std::span<const CpuPair> pairs,
                                             const LinePlan& plan) = 0;

  // How much longer a loop that needs a whole core takes on the first CPU when the second runs it
  // too: about 2 when they share a core, about 1 when they do not; 0 when it could not be measured.
  virtual double Slowdown(CpuPair pair) = 0;

  // The time of this source, in nanoseconds: a simulated machine has its own.
  virtual std::int64_t Now() const = 0;
};

}  // namespace cyclescope::pairs
