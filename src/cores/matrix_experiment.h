// Measures the latency between all pairs of a list of CPUs.
//
//   ThreadedLineSource source(workers, clock, {.ping_pong = *ping_pong});
//   Result<CoreMatrix> matrix = MeasureMatrix(source, {0, 1, 2, 3}, plan, on_progress);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "base/error.h"
#include "cores/line_source.h"
#include "cyclescope/progress.h"
#include "os/cpus.h"
#include "result/cores.h"

namespace cyclescope::cores {

struct MatrixPlan {
  LinePlan line;  // its lines are those of the first draw or, without a precision, all

  // The width of a pair's interval over its value at which sampling ends: fresh lines are drawn
  // until it is reached. Unset: exactly line.lines lines.
  std::optional<double> precision = 0.02;

  // The most time for one pair in one direction; 0 is without limit.
  std::int64_t budget_ns = 100'000'000;

  bool parallel = false;  // disjoint pairs at once
  std::uint64_t seed = 0;
};

// What a caller sees of a matrix while it is measured; false ends it.
using OnMatrixProgress = std::function<bool(const CoreMatrix& so_far, Progress progress)>;

// Fills everything but the test's name and instruction, the groups and the findings. At least two
// CPUs. `on_progress` is called after each round, and its steps are pairs.
Result<CoreMatrix> MeasureMatrix(LineSource& source, const os::CpuList& cpus,
                                 const MatrixPlan& plan, const OnMatrixProgress& on_progress);

}  // namespace cyclescope::cores
