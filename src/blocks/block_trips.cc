#include "blocks/block_trips.h"

#include <algorithm>
#include <array>
#include <vector>

#include "arch/kernel_parts.h"

namespace cyclescope::blocks {
namespace {

using assembler::AddressPart;
using assembler::Arithmetic;
using assembler::Decoded;
using assembler::Instruction;
using assembler::Operand;
using assembler::OperandKind;
using assembler::RegisterFile;

constexpr int kWholeBits = 64;

bool IsGeneral(const Operand& operand) {
  return operand.kind == OperandKind::kRegister && operand.reg.file == RegisterFile::kGeneral;
}

// What an access adds to the register that its address is in.
std::optional<std::int64_t> IncrementOf(const Instruction& instruction) {
  for (const Operand& operand : instruction.operands) {
    if (operand.kind == OperandKind::kImmediate && operand.address == AddressPart::kIncrement)
      return operand.value;
  }
  return std::nullopt;
}

// What one instruction adds to a register, if it adds a constant.
std::optional<std::int64_t> StepOf(const Instruction& instruction, int index) {
  const bool from_itself =
      std::ranges::any_of(instruction.operands, [index](const Operand& operand) {
        return IsGeneral(operand) && operand.reg.index == index && operand.read;
      });
  if (!from_itself) return std::nullopt;
  const auto other_register = [&] {
    return std::ranges::any_of(instruction.operands, [index](const Operand& operand) {
      return IsGeneral(operand) && operand.reg.index != index && operand.read;
    });
  };
  if (const auto increment = IncrementOf(instruction)) return increment;
  // An index multiplies, even where it is the same register.
  const bool indexed = std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return IsGeneral(operand) && operand.address == AddressPart::kIndex;
  });
  if (other_register() || indexed || instruction.arithmetic != Arithmetic::kAdds)
    return std::nullopt;
  return instruction.number;
}

struct Step {
  std::int64_t each = 0;  // what a trip adds; 0 where nothing writes it
  bool known = true;
};

Step StepIn(const BlockCode& code, int index) {
  Step step;
  for (const Decoded& each : *code.decoded) {
    const bool writes =
        std::ranges::any_of(each.instruction.operands, [index](const Operand& operand) {
          return IsGeneral(operand) && operand.reg.index == index && operand.written;
        });
    if (!writes) continue;
    const auto one = StepOf(each.instruction, index);
    if (!one) return {.known = false};
    step.each += *one;
  }
  return step;
}

bool WritesFlags(const Instruction& instruction) {
  return std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.reg.file == RegisterFile::kFlags && operand.written;
  });
}

// The instruction whose result the branch at the end looks at: the last that set the flags, or the
// branch itself.
const Instruction* DeciderOf(const BlockCode& code) {
  const Instruction& branch = code.decoded->back().instruction;
  const bool reads_flags = std::ranges::any_of(branch.operands, [](const Operand& operand) {
    return operand.reg.file == RegisterFile::kFlags && operand.read;
  });
  if (!reads_flags) return &branch;
  for (auto each = code.decoded->rbegin() + 1; each != code.decoded->rend(); ++each) {
    if (WritesFlags(each->instruction)) return &each->instruction;
  }
  return nullptr;
}

std::uint64_t Narrow(std::uint64_t value, int bits) {
  return bits >= kWholeBits ? value : value & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace

bool IsLoop(const BlockCode& code) {
  if (!code.decoded || code.decoded->empty()) return false;
  const Decoded& last = code.decoded->back();
  if (!last.instruction.flags.branch || last.instruction.flags.indirect) return false;
  const auto label =
      std::ranges::find(last.instruction.operands, OperandKind::kLabel, &Operand::kind);
  // One that nothing decides about goes on for ever.
  const bool conditional =
      std::ranges::any_of(last.instruction.operands, [](const Operand& operand) {
        return operand.kind == OperandKind::kRegister && operand.read;
      });
  if (label == last.instruction.operands.end() || !conditional) return false;
  constexpr std::size_t kSome = 64;
  const std::int64_t unit = arch::BranchOver(kSome) - arch::BranchOver(0);
  const std::int64_t distance =
      (label->value - arch::BranchOver(0)) * static_cast<std::int64_t>(kSome) / unit;
  return static_cast<std::int64_t>(last.offset + last.size) + distance == 0;
}

std::optional<std::map<int, std::uint64_t>> ValuesForTrips(
    const BlockCode& code, const std::map<int, std::uint64_t>& registers, int trips) {
  const Instruction* decider = DeciderOf(code);
  if (decider == nullptr || decider->flags.may_load) return std::nullopt;
  // Some bits of a register tell nothing of how far it has counted.
  if (decider->arithmetic == Arithmetic::kTestsBits) return std::nullopt;
  // The registers that are compared; with itself, or with a number, there is one.
  std::vector<Operand> compared;
  for (const Operand& operand : decider->operands) {
    if (!IsGeneral(operand) || (!operand.read && !operand.written)) continue;
    const bool known = std::ranges::any_of(compared, [&operand](const Operand& other) {
      return other.reg.index == operand.reg.index;
    });
    if (!known) compared.push_back(operand);
  }
  if (compared.empty() || compared.size() > 2) return std::nullopt;
  std::optional<std::size_t> moving;
  for (std::size_t i = 0; i < compared.size(); ++i) {
    const Step step = StepIn(code, compared[i].reg.index);
    if (!step.known) return std::nullopt;
    if (step.each == 0) continue;
    if (moving) return std::nullopt;
    moving = i;
  }
  if (!moving) return std::nullopt;
  const Operand& counter = compared[*moving];
  const std::uint64_t way = static_cast<std::uint64_t>(StepIn(code, counter.reg.index).each) *
                            static_cast<std::uint64_t>(trips);
  std::map<int, std::uint64_t> values;
  if (compared.size() == 2) {
    const auto start = registers.find(counter.reg.index);
    if (start == registers.end()) return std::nullopt;
    const Operand& bound = compared[1 - *moving];
    values[bound.reg.index] = Narrow(start->second + way, bound.reg.bits);
    return values;
  }
  // Compared with a number, or with zero where the counting instruction itself sets the flags.
  const std::uint64_t end = decider->arithmetic == Arithmetic::kCompares
                                ? static_cast<std::uint64_t>(decider->number)
                                : 0;
  values[counter.reg.index] = Narrow(end - way, counter.reg.bits);
  return values;
}

bool CountsTrips(const BlockCode& code) {
  std::map<int, std::uint64_t> registers;
  for (int i = 0; i < 32; ++i) registers[i] = 0;
  return code.decoded && !code.decoded->empty() && ValuesForTrips(code, registers, 1).has_value();
}

}  // namespace cyclescope::blocks
