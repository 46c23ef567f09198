// `--watch`: of two rounds over the same forms, the smaller of each value.
#pragma once

#include <vector>

#include "result/instruction.h"

namespace cyclescope::instructions {

// `before` and `now` are rows of the same forms in the same order.
std::vector<InstructionRow> KeepMinima(const std::vector<InstructionRow>& before,
                                       const std::vector<InstructionRow>& now);

}  // namespace cyclescope::instructions
