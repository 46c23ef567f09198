#pragma once

#include <string>
#include <vector>

#include "assembler/instruction.h"

namespace cyclescope::assembler {
class Llvm;
}

namespace cyclescope::assembler::x86 {

// The extensions that the instruction belongs to, in the kernel's words where it has some.
std::vector<std::string> Isa(const Llvm& llvm, const Instruction& instruction);

}  // namespace cyclescope::assembler::x86
