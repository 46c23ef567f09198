#include "blocks/data_end.h"

#include <algorithm>

#include "base/saturated.h"

namespace cyclescope::blocks {
namespace {

using assembler::AddressPart;
using assembler::Arithmetic;
using assembler::Instruction;
using assembler::Operand;

// A loaded value that a branch compares with a number.
struct Compared {
  std::size_t load = 0;  // the instruction
  std::int64_t number = 0;
};

// Of `cmp byte ptr [rax], 0`.
bool ComparesMemoryAlone(const Instruction& instruction) {
  return instruction.arithmetic == Arithmetic::kCompares && instruction.flags.may_load &&
         std::ranges::none_of(instruction.operands, [](const Operand& operand) {
           return IsGeneralRegister(operand) && operand.read &&
                  operand.address == AddressPart::kNone;
         });
}

std::optional<Compared> ComparedBy(const BlockCode& code, const TripValues& values,
                                   std::size_t branch) {
  const auto decider = DeciderOf(code, branch);
  if (!decider) return std::nullopt;
  const Instruction& instruction = (*code.decoded)[*decider].instruction;
  if (ComparesMemoryAlone(instruction)) return Compared{*decider, instruction.number};
  // A branch that decides by a register itself compares it with zero.
  const bool compares = *decider == branch || instruction.arithmetic == Arithmetic::kCompares;
  const TripValues::Decision* decision = values.DecisionAt(*decider);
  if (!compares || instruction.flags.may_load || decision == nullptr ||
      decision->values.size() != 1)
    return std::nullopt;
  const SymbolicValue& value = decision->values.front();
  if (value.loads.size() != 1 || !value.registers.empty() || value.bounded ||
      (!value.is_exact() && !value.narrowed))
    return std::nullopt;
  return Compared{*value.loads.begin(),
                  SaturatedSum(instruction.number, SaturatedProduct(value.constant, -1))};
}

}  // namespace

std::optional<DataEnd> FindDataEnd(const BlockCode& code, const CountedLoop& loop,
                                   const Streams& streams) {
  for (std::size_t i = 0; i < loop.shape.exits.size(); ++i) {
    const auto& [branch, by_jump] = loop.shape.exits[i];
    const auto jumps_if_equal = (*code.decoded)[branch].instruction.jumps_if_equal;
    if (!jumps_if_equal) continue;
    const auto compared = ComparedBy(code, loop.values, branch);
    if (!compared || !EveryTripPasses(code, loop.shape, {branch})) continue;
    const auto use = std::ranges::find(streams.uses, compared->load, &MemoryUse::instruction);
    constexpr std::int64_t kWidest = 8;
    if (use == streams.uses.end() || use->to_vector || use->bytes < 1 || use->bytes > kWidest ||
        !(*code.decoded)[compared->load].instruction.flags.may_load)
      continue;
    auto walk = FindWalk(loop.values, streams, compared->load);
    if (!walk) continue;
    // `while (*p == ' ')` goes over spaces alone, and ends at something else.
    const bool leaves_if_equal = *jumps_if_equal == by_jump;
    walk->value = leaves_if_equal ? compared->number : compared->number ^ 1;
    walk->only_before = !leaves_if_equal;
    walk->is_by_value = true;
    return DataEnd{*walk, i};
  }
  return std::nullopt;
}

}  // namespace cyclescope::blocks
