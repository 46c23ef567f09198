// The parts of AArch64's rules that have a file of their own.
#pragma once

#include <llvm/MC/MCInst.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "assembler/instruction.h"
#include "assembler/rules.h"

namespace cyclescope::assembler::aarch64 {

using Words = std::span<const std::string_view>;

inline bool BeginsWithAny(std::string_view name, Words prefixes) {
  return std::ranges::any_of(prefixes, [name](auto prefix) { return name.starts_with(prefix); });
}

inline bool EndsWithAny(std::string_view name, Words suffixes) {
  return std::ranges::any_of(suffixes, [name](auto suffix) { return name.ends_with(suffix); });
}

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
