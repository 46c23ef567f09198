// The depth of a return stack, from how long calls in calls take by how deep they are.
//
// While the stack holds all return addresses, one level more costs as much each time. Beyond that
// the returns of the outer levels are mispredicted, so that each level costs more: two lines, which
// meet at the stack's depth. Pure: no clock, no code.
#pragma once

#include <optional>
#include <span>

#include "anatomy/branch_targets.h"
#include "anatomy/plateaus.h"

namespace cyclescope::anatomy {

struct ReturnStack {
  SizeRange depth;
  double level_cycles = 0;   // of one level while the stack holds it
  double beyond_cycles = 0;  // of one level more beyond it
  bool at_least = false;     // the calls went no deeper
  bool shared = false;
};

// `at` is the depth, `value` the cycles of a trip; ascending, one point for each depth. Unset where
// there are too few points, or where neither one line nor two explain them.
std::optional<ReturnStack> ReadReturnStack(std::span<const CurvePoint> points);

}  // namespace cyclescope::anatomy
