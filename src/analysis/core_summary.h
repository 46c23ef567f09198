// The few numbers that stand for a whole matrix of latencies, in the unit that they are shown in:
// in cycles, the pair in the middle need not be the one that is in the middle in nanoseconds.
#pragma once

#include <cstddef>
#include <optional>

#include "analysis/core_unit.h"
#include "cyclescope/result/cores.h"

namespace cyclescope {

// One pair's value; row and column are places in the matrix.
struct CoreExtreme {
  std::size_t row = 0;
  std::size_t column = 0;
  double value = 0;
  double low = 0;  // NaN, as high, where the matrix has no intervals
  double high = 0;
};

struct CoreSummary {
  std::size_t pairs = 0;
  CoreExtreme least;
  CoreExtreme most;
  double median = 0;  // between the two in the middle, where there are two
  double median_low = 0;
  double median_high = 0;
  double mean = 0;
  double mean_low = 0;  // pairs are independent, so their errors add up as squares
  double mean_high = 0;
  double spread_within = 0;  // ns, medians over the pairs; NaN where the matrix has none
  double spread_between = 0;
};

// Unset when no pair was measured.
std::optional<CoreSummary> Summarize(const CoreMatrix& matrix, const CoreScale& scale = {});

}  // namespace cyclescope
