// `--watch`: what is known of each value after one more round over the same forms. A round that is
// clearly lower replaces what there was; rounds that agree are pooled.
#pragma once

#include <vector>

#include "result/instruction.h"

namespace cyclescope::instructions {

// `before` and `now` are rows of the same forms in the same order.
std::vector<InstructionRow> KeepMinima(const std::vector<InstructionRow>& before,
                                       const std::vector<InstructionRow>& now);

}  // namespace cyclescope::instructions
