// What it costs where a short loop lies: code is fetched, and kept decoded, in blocks, and a loop
// that touches one block more may take longer.
//
//   const AlignmentCost cost = MeasureAlignment(times, 8);
//   if (cost.lost) Use(cost.lost->cycles, cost.lost->error);
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "anatomy/code_times.h"
#include "anatomy/plateaus.h"

namespace cyclescope::anatomy {

struct AlignmentCost {
  std::int64_t instructions = 0;   // of the loop
  std::vector<CurvePoint> points;  // cycles of a trip over bytes behind the begin of a line
  // By how much the slowest place is slower than the fastest. Unset where times were missing.
  std::optional<CodeTime> lost;
};

// The pattern of a loop that begins so far behind a line of code.
CodePattern AlignedLoop(std::int64_t instructions, std::int64_t bytes_behind_line);

AlignmentCost MeasureAlignment(CodeTimes& times, std::int64_t instructions);

}  // namespace cyclescope::anatomy
