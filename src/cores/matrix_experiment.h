// Measures the latency between all pairs of a list of CPUs: every pair in several short visits, in
// rounds over the whole run, both directions in each visit.
//
//   ThreadedLineSource source(workers, clock, {.ping_pong = *ping_pong});
//   Result<MeasuredMatrix> measured = MeasureMatrix(source, {0, 1, 2, 3}, plan, on_progress);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "cyclescope/base/error.h"
#include "cyclescope/progress.h"
#include "cyclescope/result/cores.h"
#include "os/cpus.h"
#include "pairs/line_source.h"
#include "pairs/visits.h"

namespace cyclescope::cores {

inline constexpr int kDefaultRounds = 8;

struct MatrixPlan {
  // Its lines are, over all visits to a pair in one direction, the fewest or, without a precision,
  // all.
  pairs::LinePlan line;

  // The width of a pair's interval over its value at which fewest lines are drawn from then on.
  // Unset: exactly line.lines lines.
  std::optional<double> precision = 0.02;

  // The most time for one pair in one direction, over all planned visits; 0 is without limit.
  // Visits of a `duration_ns`, and those that `watch_ns` adds, take no longer than a planned one
  // each.
  std::int64_t budget_ns = 100'000'000;

  // The exact number of visits to each pair. Unset: kDefaultRounds, and more as long as `watch_ns`
  // or `duration_ns` are not over.
  std::optional<int> rounds;
  std::int64_t watch_ns = 0;                // see WatchNs
  std::optional<std::int64_t> duration_ns;  // also ends a run with fewer rounds

  // How long pairs are followed, in sum, where virtual CPUs move.
  std::int64_t follow_ns = 4'000'000'000;

  bool parallel = false;  // disjoint pairs at once
  std::uint64_t seed = 0;
};

// How long rounds go on at least on a virtual machine, so that CPUs which the host moves every few
// seconds are seen to move: no longer than pairs of lines that differ much take anyway.
std::int64_t WatchNs(std::size_t cpus);

struct MeasuredMatrix {
  CoreMatrix matrix;
  pairs::VisitTable visits;
  pairs::StabilityVerdict verdict;
  std::int64_t duration_ns = 0;  // from the first visit to the last
};

// What a caller sees of a matrix while it is measured; false ends it.
using OnMatrixProgress = std::function<bool(const CoreMatrix& so_far, Progress progress)>;

// Fills everything but the test's name and instruction, the groups and the findings. At least two
// CPUs. `on_progress` is called after each set of pairs; its steps are visits, or milliseconds with
// a duration.
Result<MeasuredMatrix> MeasureMatrix(pairs::LineSource& source, const os::CpuList& cpus,
                                     const MatrixPlan& plan, const OnMatrixProgress& on_progress);

}  // namespace cyclescope::cores
