// The extension of the instruction set that an instruction belongs to. LLVM's AArch64 parser knows,
// and refuses what the CPU lacks; its x86 parser takes everything, so that a table of ours says.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assembler/instruction.h"
#include "assembler/llvm_target.h"

namespace cyclescope::assembler {

// The extensions it belongs to, in the kernel's words; empty for what is in none, and on AArch64,
// where the parser is asked instead.
std::vector<std::string> IsaOf(const Llvm& llvm, const Instruction& instruction);

// True if the target offers an extension, by the kernel's word for it or LLVM's; unset where LLVM
// knows none of that name.
std::optional<bool> OffersExtension(const Llvm& llvm, std::string_view word);

// The extensions of the instruction that the target does not offer.
std::vector<std::string> MissingIsa(const Llvm& llvm, const Instruction& instruction);

// The least CPU of the architecture.
std::unique_ptr<llvm::MCSubtargetInfo> BareCpu(const Llvm& llvm);

// What the instruction needs beyond that, in the kernel's words.
std::vector<std::string> FeaturesOf(const Llvm& llvm, const Instruction& instruction);

}  // namespace cyclescope::assembler
