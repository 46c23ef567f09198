#include "assembler/branch_fusion.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace cyclescope::assembler {
namespace {

// What branches ask of flags; each includes those above it.
enum class Asked {
  kNothing,
  kWithoutCarry,  // equal, less, greater
  kWithCarry,     // below, above
  kAll,           // a sign, an overflow or parity alone
};

bool Names(const Instruction& instruction, OperandKind kind) {
  return std::ranges::any_of(instruction.operands, [kind](const Operand& operand) {
    return operand.kind == kind && !operand.implicit;
  });
}

Asked AskedBy(const Instruction& branch) {
  // As conditions are encoded, each with its opposite behind it: o, b, e, be, s, p, l, le.
  constexpr std::array kAsked = {Asked::kAll,          Asked::kWithCarry,   Asked::kWithoutCarry,
                                 Asked::kWithCarry,    Asked::kAll,         Asked::kAll,
                                 Asked::kWithoutCarry, Asked::kWithoutCarry};
  const auto condition =
      std::ranges::find(branch.operands, OperandKind::kCondition, &Operand::kind);
  if (condition == branch.operands.end()) return Asked::kAll;
  return kAsked[static_cast<std::size_t>(condition->value) / 2 % kAsked.size()];
}

// Up to which branches it goes with one (Intel's optimization manual, "Macro-Fusion").
Asked MostBehind(const Instruction& first) {
  if (first.flags.may_store) return Asked::kNothing;
  if (Names(first, OperandKind::kMemory) && Names(first, OperandKind::kImmediate))
    return Asked::kNothing;
  const std::string_view name = first.name;
  if (name == "test" || name == "and") return Asked::kAll;
  if (name == "cmp" || name == "add" || name == "sub") return Asked::kWithCarry;
  return name == "inc" || name == "dec" ? Asked::kWithoutCarry : Asked::kNothing;
}

}  // namespace

bool FusesWithBranch(const Instruction& first, const Instruction& branch) {
  return branch.flags.fuses && MostBehind(first) >= AskedBy(branch);
}

}  // namespace cyclescope::assembler
