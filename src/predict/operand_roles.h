// What an operand is for an instruction, whatever register stands in it: so that what was measured
// of one form is found for another with the same opcode.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "assembler/instruction.h"

namespace cyclescope::predict {

enum class RoleKind { kRegister, kFlags, kMemory, kBase, kIndex };

struct OperandRole {
  RoleKind kind = RoleKind::kRegister;
  int ordinal = 0;  // among those of its kind, in their order

  auto operator<=>(const OperandRole&) const = default;
  bool is_address() const { return kind == RoleKind::kBase || kind == RoleKind::kIndex; }
};

// Of a register or of memory.
OperandRole RoleOf(const assembler::Instruction& instruction, std::size_t operand);

// True if `form`, which was measured, stands for `instruction`, which has the same opcode or
// operands of the same classes: registers that are equal in the one are equal in the other, since
// `xor eax, eax` is not `xor eax, ebx`; and an address that is computed has the same parts.
bool StandsFor(const assembler::Instruction& form, const assembler::Instruction& instruction);

// How much the two have in common beyond that; more is better.
struct Likeness {
  int parts = -1;            // equal registers, the shape of the address, conditions
  std::int64_t numbers = 0;  // less than 0 by how much the numbers of the form lie below
  auto operator<=>(const Likeness&) const = default;
};
// What was measured with a number stands for larger ones up to the next that was measured: a Golden
// Cove does `add rbx, 1023` at rename and `add rbx, 1024` on a port.
Likeness LikenessOf(const assembler::Instruction& form, const assembler::Instruction& instruction);

// True if it only loads: all else that it reads is the address. True if it stores without a load.
bool IsPureLoad(const assembler::Instruction& instruction);
bool IsPureStore(const assembler::Instruction& instruction);

// True if it changes what lies in memory by a number, or by nothing that it reads:
// `add dword ptr [rbx], 5`.
bool ChangesByNumber(const assembler::Instruction& instruction);

// True if two of the registers that the text names as data are one.
bool RepeatsRegister(const assembler::Instruction& instruction);

// One register is read and another of the same file is written, and there is nothing else.
bool IsMoveOfRegister(const assembler::Instruction& instruction);

// True if it works on vector registers, and not only by way of an address.
bool HasVectors(const assembler::Instruction& instruction);

// True if one of them has 512 bits.
bool HasWideVectors(const assembler::Instruction& instruction);

// True if all registers that it works on as data are general ones.
bool WorksOnIntegers(const assembler::Instruction& instruction);

// True if its address has a displacement.
bool HasDisplacement(const assembler::Instruction& instruction);

// True if all operands are of the same classes: kinds, register files and widths.
bool HaveSameClasses(const assembler::Instruction& one, const assembler::Instruction& other);

}  // namespace cyclescope::predict
