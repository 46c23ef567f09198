// The same forms measured again: what is known of each value after one more round. A round that is
// clearly lower replaces what there was; rounds that agree are pooled.
#pragma once

#include <vector>

#include "cyclescope/result/instruction.h"

namespace cyclescope::instructions {

// Another thread shared the core while some of its values were measured.
bool HasContendedValue(const InstructionRow& row);
// Too few samples survived for one of its values.
bool HasDisturbedValue(const InstructionRow& row);

// Rows of the same form. Each value comes with everything that was found with it.
InstructionRow MergeRows(const InstructionRow& before, InstructionRow now);

// `before` and `now` are rows of the same forms in the same order.
std::vector<InstructionRow> MergeRounds(const std::vector<InstructionRow>& before,
                                        const std::vector<InstructionRow>& now);

}  // namespace cyclescope::instructions
