// The parts of AArch64's rules that have a file of their own.
#pragma once

#include <llvm/MC/MCInst.h>

#include <optional>
#include <vector>

#include "assembler/instruction.h"
#include "assembler/rules.h"

namespace cyclescope::assembler::aarch64 {

// ---- roles.cc: see Rules
void Refine(const Llvm& llvm, const llvm::MCInst& inst, Instruction& instruction);
int ElementBits(const Instruction& instruction);
void ScaleAddress(Instruction& instruction);

// ---- values.cc
std::vector<arch::ValueSet> ValueSets(const Instruction& instruction);
MemoryAccess AccessOf(const Llvm& llvm, const llvm::MCInst& inst, const Instruction& instruction);
// Bits that each register of the operand has in memory.
int StoredBits(const Instruction& instruction, const Operand& operand);

// ---- forms.cc: see Rules
std::vector<Immediates> ImmediatesFor(const Llvm& llvm, unsigned opcode, std::size_t count);
unsigned AddAddress(const Llvm& llvm, unsigned opcode, unsigned slot, unsigned variant,
                    PickRegister pick, llvm::MCInst& inst);
bool HasVariants(const Llvm& llvm, unsigned opcode);

// ---- reload.cc
std::optional<llvm::MCInst> Reload(const Llvm& llvm, const Instruction& store,
                                   const Operand& operand);

}  // namespace cyclescope::assembler::aarch64
