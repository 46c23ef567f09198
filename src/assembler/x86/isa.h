#pragma once

#include <string>
#include <vector>

#include "assembler/instruction.h"

namespace cyclescope::assembler {
class Llvm;
}

namespace cyclescope::assembler::x86 {

// The kernel's words for what the instruction needs beyond plain x86-64.
std::vector<std::string> Isa(const Llvm& llvm, const Instruction& instruction);

}  // namespace cyclescope::assembler::x86
