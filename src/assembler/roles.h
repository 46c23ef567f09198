// From LLVM's instruction to ours: which operands there are and what the instruction does with
// them.
#pragma once

#include <llvm/MC/MCInst.h>

#include <string>
#include <string_view>

#include "assembler/instruction.h"
#include "assembler/llvm_target.h"

namespace cyclescope::assembler {

// Complete, with text and length.
Instruction Describe(const Llvm& llvm, const llvm::MCInst& inst);

// The way back. Labels are lost: an instruction that refers to one must not come here.
llvm::MCInst ToMcInst(const Instruction& instruction);

// The printed instruction on one line, words apart by one blank.
std::string PrintInst(const Llvm& llvm, const llvm::MCInst& inst);

// Its first word that is no prefix.
std::string_view MnemonicOf(const Llvm& llvm, std::string_view text);

// Operands as the text names them.
void NameOperands(const Llvm& llvm, Instruction& instruction);

// The instruction's bytes; not for one that refers to a label.
void AppendBytes(const Llvm& llvm, const llvm::MCInst& inst, llvm::SmallVectorImpl<char>& bytes);

}  // namespace cyclescope::assembler
