// Names near to one that does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assembler/llvm_target.h"

namespace cyclescope::assembler {

// True if the architecture has an instruction of that name.
bool HasMnemonic(Llvm& llvm, std::string_view word);

// Mnemonics of the architecture that differ from `word` by a letter or two, the nearest first; a
// handful at most.
std::vector<std::string> NearMnemonics(Llvm& llvm, std::string_view word);

// The same of its registers.
std::vector<std::string> NearRegisters(const Llvm& llvm, std::string_view word);

}  // namespace cyclescope::assembler
