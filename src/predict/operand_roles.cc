#include "predict/operand_roles.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace cyclescope::predict {
namespace {

using assembler::AddressPart;
using assembler::Instruction;
using assembler::Operand;
using assembler::OperandKind;
using assembler::RegisterFile;

RoleKind KindOf(const Operand& operand) {
  if (operand.kind == OperandKind::kMemory) return RoleKind::kMemory;
  // What is pushed and popped lies where the stack pointer leads.
  const bool is_stack = operand.implicit && operand.stack_pointer;
  if (operand.address == AddressPart::kBase || is_stack) return RoleKind::kBase;
  if (operand.address == AddressPart::kIndex) return RoleKind::kIndex;
  return operand.reg.file == RegisterFile::kFlags ? RoleKind::kFlags : RoleKind::kRegister;
}

bool HasRole(const Operand& operand) {
  return operand.kind == OperandKind::kMemory || operand.kind == OperandKind::kRegister;
}

// The registers that the text names as data, in their order.
std::vector<assembler::Register> DataRegisters(const Instruction& instruction) {
  std::vector<assembler::Register> registers;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind == OperandKind::kRegister && !operand.implicit &&
        KindOf(operand) == RoleKind::kRegister)
      registers.push_back(operand.reg);
  }
  return registers;
}

struct AddressShape {
  bool base = false;
  bool index = false;
  bool scaled = false;
  bool displacement = false;
  bool relative = false;  // to the instruction

  bool operator==(const AddressShape&) const = default;
};

AddressShape ShapeOf(const Instruction& instruction) {
  AddressShape shape;
  for (const Operand& operand : instruction.operands) {
    const bool is_base = operand.address == AddressPart::kBase;
    shape.base |= is_base && arch::CarriesValues(operand.reg.file);
    shape.relative |= is_base && !arch::CarriesValues(operand.reg.file);
    const bool is_index = operand.address == AddressPart::kIndex;
    shape.index |= is_index;
    shape.scaled |= is_index && operand.multiplier != 1;
    shape.displacement |= operand.address == AddressPart::kDisplacement && operand.bytes != 0;
  }
  return shape;
}

// Of operands of these kinds, in their order.
std::vector<std::int64_t> ValuesOf(const Instruction& instruction,
                                   std::initializer_list<OperandKind> kinds) {
  std::vector<std::int64_t> values;
  for (const Operand& operand : instruction.operands) {
    if (std::ranges::find(kinds, operand.kind) != kinds.end()) values.push_back(operand.value);
  }
  return values;
}

// By how much measured numbers lie below others; those that lie above are farther off than any.
std::int64_t GapBetween(const std::vector<std::int64_t>& measured,
                        const std::vector<std::int64_t>& numbers) {
  constexpr std::int64_t kLargestSize = std::int64_t{1} << 32;
  const auto size = [kLargestSize](std::int64_t number) {
    return std::min(number < 0 ? -(number + 1) : number, kLargestSize);
  };
  std::int64_t gap = 0;
  for (std::size_t i = 0; i < std::min(measured.size(), numbers.size()); ++i) {
    const std::int64_t below = size(numbers[i]) - size(measured[i]);
    gap += below >= 0 ? below : kLargestSize - below;
  }
  return gap;
}

}  // namespace

OperandRole RoleOf(const Instruction& instruction, std::size_t operand) {
  const RoleKind kind = KindOf(instruction.operands[operand]);
  int ordinal = 0;
  for (std::size_t i = 0; i < operand; ++i) {
    if (HasRole(instruction.operands[i]) && KindOf(instruction.operands[i]) == kind) ++ordinal;
  }
  return {kind, ordinal};
}

bool StandsFor(const Instruction& form, const Instruction& instruction) {
  // Sums of two and of three differ where they are computed, and not on the way to memory.
  // What writes nothing computes none: `nop [rax + rax]`.
  const bool writes = std::ranges::any_of(instruction.operands, &Operand::written);
  const bool touches = instruction.flags.may_load || instruction.flags.may_store || !writes;
  const AddressShape shape = ShapeOf(instruction);
  const AddressShape of_row = ShapeOf(form);
  if (!touches && (shape.base != of_row.base || shape.index != of_row.index ||
                   shape.scaled != of_row.scaled || shape.relative != of_row.relative))
    return false;
  const auto of_form = DataRegisters(form);
  const auto own = DataRegisters(instruction);
  // ah, bh, ch and dh take longer than al.
  for (std::size_t i = 0; i < std::min(of_form.size(), own.size()); ++i) {
    if (of_form[i].high_byte != own[i].high_byte) return false;
  }
  for (std::size_t i = 0; i < of_form.size(); ++i) {
    for (std::size_t k = i + 1; k < of_form.size(); ++k) {
      if (!of_form[i].Overlaps(of_form[k])) continue;
      if (k >= own.size() || !own[i].Overlaps(own[k])) return false;
    }
  }
  return true;
}

Likeness LikenessOf(const Instruction& form, const Instruction& instruction) {
  constexpr int kEqualRegisters = 8, kSameShape = 4, kSameChoices = 1;
  Likeness likeness{.parts = 0};
  const auto of_form = DataRegisters(form);
  for (std::size_t i = 0; i < of_form.size(); ++i) {
    for (std::size_t k = i + 1; k < of_form.size(); ++k)
      likeness.parts += of_form[i].Overlaps(of_form[k]) ? kEqualRegisters : 0;
  }
  if (ShapeOf(form) == ShapeOf(instruction)) likeness.parts += kSameShape;
  if (ValuesOf(form, {OperandKind::kModifier, OperandKind::kCondition}) ==
      ValuesOf(instruction, {OperandKind::kModifier, OperandKind::kCondition}))
    likeness.parts += kSameChoices;
  likeness.numbers = -GapBetween(ValuesOf(form, {OperandKind::kImmediate}),
                                 ValuesOf(instruction, {OperandKind::kImmediate}));
  return likeness;
}

bool IsPureLoad(const Instruction& instruction) {
  return instruction.flags.may_load && !instruction.flags.may_store &&
         std::ranges::none_of(instruction.operands, [](const Operand& operand) {
           return operand.kind == OperandKind::kRegister && operand.read &&
                  operand.address == AddressPart::kNone;
         });
}

bool IsPureStore(const Instruction& instruction) {
  return instruction.flags.may_store && !instruction.flags.may_load;
}

bool ChangesByNumber(const Instruction& instruction) {
  bool changes = false;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind == OperandKind::kMemory) changes |= operand.read && operand.written;
    if (operand.kind == OperandKind::kRegister && operand.read &&
        !OperandRole{KindOf(operand)}.is_address())
      return false;
  }
  return changes;
}

bool IsMoveOfRegister(const Instruction& instruction) {
  const auto registers = DataRegisters(instruction);
  if (instruction.operands.size() != 2 || registers.size() != 2) return false;
  const Operand& result =
      instruction.operands[0].written ? instruction.operands[0] : instruction.operands[1];
  const Operand& source =
      instruction.operands[0].written ? instruction.operands[1] : instruction.operands[0];
  const bool has_file =
      result.reg.file == RegisterFile::kGeneral || result.reg.file == RegisterFile::kVector;
  return has_file && result.reg.file == source.reg.file && result.written && !result.read &&
         source.read && !source.written && !source.reg.Overlaps(result.reg);
}

bool RepeatsRegister(const Instruction& instruction) {
  const auto registers = DataRegisters(instruction);
  for (std::size_t i = 0; i < registers.size(); ++i) {
    for (std::size_t k = i + 1; k < registers.size(); ++k) {
      if (registers[i].Overlaps(registers[k])) return true;
    }
  }
  return false;
}

bool HasVectors(const Instruction& instruction) {
  return std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.reg.file == RegisterFile::kVector && operand.address == AddressPart::kNone;
  });
}

bool HasWideVectors(const Instruction& instruction) {
  constexpr int kWideBits = 512;
  return std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.reg.file == RegisterFile::kVector && operand.reg.bits == kWideBits;
  });
}

bool WorksOnIntegers(const Instruction& instruction) {
  return std::ranges::all_of(DataRegisters(instruction), [](const assembler::Register& each) {
    return each.file == RegisterFile::kGeneral;
  });
}

bool HasDisplacement(const Instruction& instruction) { return ShapeOf(instruction).displacement; }

bool HaveSameClasses(const Instruction& one, const Instruction& other) {
  const auto classes = [](const Instruction& each) {
    std::vector<std::array<int, 5>> all;
    for (const Operand& operand : each.operands) {
      if (!HasRole(operand) || operand.address != AddressPart::kNone) continue;
      all.push_back({static_cast<int>(operand.kind), static_cast<int>(operand.reg.file),
                     operand.kind == OperandKind::kMemory ? operand.memory_bits : operand.reg.bits,
                     static_cast<int>(operand.read), static_cast<int>(operand.written)});
    }
    return all;
  };
  return classes(one) == classes(other);
}

}  // namespace cyclescope::predict
