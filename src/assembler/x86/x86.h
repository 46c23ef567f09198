// The parts of x86-64's rules; each has a file of its own. What LLVM keeps in headers that it does
// not install stands here as numbers, with LLVM's names.
#pragma once

#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrDesc.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assembler/instruction.h"
#include "assembler/rules.h"

namespace cyclescope::assembler {
class Llvm;
}

namespace cyclescope::assembler::x86 {

// MCInst's flags (X86::IP_HAS_..., X86::IP_USE_...).
inline constexpr std::uint32_t kHasRepeat = 1U << 2 | 1U << 3;
inline constexpr std::uint32_t kHasLock = 1U << 4;
inline constexpr std::uint32_t kUseEvex = 1U << 11;

// MCOperandInfo's types (X86::OPERAND_ROUNDING_CONTROL, X86::OPERAND_COND_CODE).
inline constexpr int kRoundingControl = llvm::MCOI::OPERAND_FIRST_TARGET;
inline constexpr int kConditionCode = kRoundingControl + 1;

// Base, scale, index, displacement, segment: the slots of an address, in LLVM's order.
inline constexpr std::size_t kAddressSlots = 5;

inline bool Has(Words words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

inline bool HasFile(const Instruction& instruction, RegisterFile file) {
  return std::ranges::any_of(instruction.operands,
                             [file](const Operand& operand) { return operand.reg.file == file; });
}

inline bool Repeats(const Instruction& instruction) {
  return (instruction.encoding_flags & kHasRepeat) != 0 || instruction.opcode.starts_with("REP_");
}

// How often string instructions with a prefix are made to repeat.
inline constexpr std::uint64_t kRepeats = 64;

// ---- addresses.cc
// The first slot of the address in memory operands and of `lea`; unset where there is none.
std::optional<std::size_t> AddressSlot(const llvm::MCInstrDesc& desc, std::string_view opcode);
void ScaleAddress(Instruction& instruction);
// Marks the parts of the address; false where the instruction has none.
bool FindAddress(const Llvm& llvm, const llvm::MCInstrDesc& desc, Instruction& instruction);
// The destination of `movdir64b` is an address in a register.
void FindSecondAddress(Instruction& instruction);
// String instructions name rsi and rdi twice, as address and as what they step; one operand each.
void JoinStringRegisters(Instruction& instruction);

// ---- roles.cc
void Refine(const Llvm& llvm, const llvm::MCInst& inst, Instruction& instruction);

// ---- values.cc
std::vector<arch::ValueSet> ValueSets(const Instruction& instruction);
MemoryAccess AccessOf(const Llvm& llvm, const llvm::MCInst& inst, const Instruction& instruction);

// ---- forms.cc: see Rules
std::vector<Immediates> ImmediatesFor(const Llvm& llvm, unsigned opcode, std::size_t count);
unsigned AddAddress(const Llvm& llvm, unsigned opcode, unsigned slot, unsigned variant,
                    PickRegister pick, llvm::MCInst& inst);
bool HasVariants(const Llvm& llvm, unsigned opcode);

// ---- reload.cc
std::optional<llvm::MCInst> Reload(const Llvm& llvm, const Instruction& store,
                                   const Operand& operand);

// ---- isa.cc

// The extensions that the instruction belongs to, in the kernel's words where it has some.
std::vector<std::string> Isa(const Llvm& llvm, const Instruction& instruction);

}  // namespace cyclescope::assembler::x86
