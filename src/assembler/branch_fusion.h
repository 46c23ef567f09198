// Which pairs of instructions go through an x86 core as one µop: what sets flags, and the branch
// behind it that decides by them.
#pragma once

#include "assembler/instruction.h"

namespace cyclescope::assembler {

// True if Intel's cores since Sandy Bridge take the branch with what stands before it. On AArch64
// nothing is known of such pairs.
bool FusesWithBranch(const Instruction& first, const Instruction& branch);

}  // namespace cyclescope::assembler
