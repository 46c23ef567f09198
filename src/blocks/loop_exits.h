// The ways out of a loop: the counted one ends a pass; those that data decide about must not be
// taken before, and lead to a trap that tells when they are.
#pragma once

#include <cstddef>
#include <vector>

#include "blocks/block_code.h"
#include "blocks/block_trips.h"

namespace cyclescope::blocks {

struct ExitPlan {
  // Instructions that jump out of the loop: conditional branches, and jumps behind one that falls
  // through.
  std::vector<std::size_t> counted;
  std::vector<std::size_t> by_data;
  // How the code's end is reached without a jump, if it is.
  bool counted_falls_off = false;
  bool data_fall_off = false;

  bool NeedsTrap() const { return !by_data.empty() || data_fall_off; }
};
ExitPlan PlanExits(const BlockCode& code, const CountedLoop& loop);

}  // namespace cyclescope::blocks
