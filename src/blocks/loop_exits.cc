#include "blocks/loop_exits.h"

#include <algorithm>

namespace cyclescope::blocks {

ExitPlan PlanExits(const BlockCode& code, const CountedLoop& loop) {
  ExitPlan plan;
  const std::vector<assembler::Decoded>& decoded = *code.decoded;
  const auto next = FollowersOf(code);
  for (std::size_t i = 0; i < loop.shape.exits.size(); ++i) {
    const LoopExit& exit = loop.shape.exits[i];
    const bool counted = std::ranges::find(loop.counted, i) != loop.counted.end();
    std::vector<std::size_t>& jumps = counted ? plan.counted : plan.by_data;
    if (exit.by_jump) {
      jumps.push_back(exit.branch);
      continue;
    }
    const std::size_t behind = exit.branch + 1;
    if (behind == decoded.size()) {
      (counted ? plan.counted_falls_off : plan.data_fall_off) = true;
    } else {
      jumps.push_back(behind);  // a jump out: what is no part of the loop is nothing else
    }
  }
  return plan;
}

}  // namespace cyclescope::blocks
