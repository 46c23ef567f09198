#include "blocks/block_trips.h"

#include <algorithm>

namespace cyclescope::blocks {
namespace {

using assembler::Arithmetic;
using assembler::Instruction;
using assembler::Operand;
using assembler::RegisterFile;

constexpr int kWholeBits = 64;

bool HasFlags(const Instruction& instruction, bool Operand::* how) {
  return std::ranges::any_of(instruction.operands, [how](const Operand& operand) {
    return operand.reg.file == RegisterFile::kFlags && operand.*how;
  });
}

}  // namespace

std::optional<std::size_t> DeciderOf(const BlockCode& code, std::size_t branch) {
  const std::vector<assembler::Decoded>& decoded = *code.decoded;
  if (!HasFlags(decoded[branch].instruction, &Operand::read)) return branch;
  for (std::size_t i = branch; i-- > 0;) {
    // A jump to the next instruction has flags of its own.
    const bool is_target =
        std::ranges::any_of(decoded,
                            [&](const auto& other) { return TargetOf(other, decoded) == i + 1; }) ||
        std::ranges::any_of(code.tables, [i](const TableJump& jump) {
          return std::ranges::find(jump.targets, i + 1) != jump.targets.end();
        });
    if (is_target || decoded[i].instruction.flags.ChangesFlow()) return std::nullopt;
    if (HasFlags(decoded[i].instruction, &Operand::written)) return i;
  }
  return std::nullopt;
}

namespace {

// How a counter decides: it leaves when `moving` has reached `bound`, or a number.
struct Control {
  SymbolicValue moving;
  std::int64_t step = 0;  // towards the bound, which may move, too
  int bits = kWholeBits;
  std::optional<GeneralNumber> bound;  // unset: a number
  std::int64_t number = 0;             // that, or what the bound has more than its register

  // Which register has to be set.
  std::optional<GeneralNumber> ToSet() const {
    if (bound && *bound < kFirstSymbol) return bound;
    const bool is_one = moving.registers.size() == 1 && moving.registers.begin()->second == 1;
    return is_one ? std::optional(moving.registers.begin()->first) : std::nullopt;
  }
};

std::optional<Control> ControlOf(const BlockCode& code, const TripValues& values,
                                 std::size_t branch) {
  const auto decider = DeciderOf(code, branch);
  if (!decider) return std::nullopt;
  const Instruction& instruction = (*code.decoded)[*decider].instruction;
  const TripValues::Decision* decision = values.DecisionAt(*decider);
  // Some bits of a register tell nothing of how far it has counted.
  if (decision == nullptr || instruction.flags.may_load ||
      instruction.arithmetic == Arithmetic::kTestsBits || decision->values.empty() ||
      decision->values.size() > 2)
    return std::nullopt;
  std::vector<std::int64_t> steps;
  for (const SymbolicValue& value : decision->values) {
    const auto step = values.StepOf(value);
    if (!step) return std::nullopt;
    steps.push_back(*step);
  }
  const std::size_t moving = steps[0] != 0 ? 0 : 1;
  if (moving >= steps.size()) return std::nullopt;
  Control control{.moving = decision->values[moving],
                  .step = steps[moving],
                  .bits = decision->operands[moving].reg.bits};
  if (steps.size() == 1) {
    if (instruction.arithmetic == Arithmetic::kCompares) control.number = instruction.number;
    // What counts sets the flags itself: by what it gives.
    if (instruction.arithmetic == Arithmetic::kAdds) control.number = -instruction.number;
    return control.ToSet() ? std::optional(control) : std::nullopt;
  }
  const SymbolicValue& bound = decision->values[1 - moving];
  const bool writes = std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.written && operand.reg.file == RegisterFile::kGeneral;
  });
  if (writes || bound.registers.size() != 1 || bound.registers.begin()->second != 1)
    return std::nullopt;
  // Two that walk towards each other.
  control.step -= steps[1 - moving];
  if (control.step == 0) return std::nullopt;
  control.bound = bound.registers.begin()->first;
  control.number = bound.constant;
  return control.ToSet() ? std::optional(control) : std::nullopt;
}

std::uint64_t Narrow(std::uint64_t value, int bits) {
  return bits >= kWholeBits ? value : value & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace

std::vector<LoopExit> CountedLoop::DataExits() const {
  std::vector<LoopExit> exits;
  for (std::size_t i = 0; i < shape.exits.size(); ++i) {
    if (std::ranges::find(counted, i) == counted.end()) exits.push_back(shape.exits[i]);
  }
  return exits;
}

std::optional<CountedLoop> ReadLoop(const BlockCode& code) {
  auto shape = FindLoop(code);
  if (!shape) return std::nullopt;
  CountedLoop loop{*shape, TripValues(code, shape), {}};
  std::map<GeneralNumber, std::vector<std::size_t>> by_register;
  for (std::size_t i = 0; i < shape->exits.size(); ++i) {
    if (const auto control = ControlOf(code, loop.values, shape->exits[i].branch))
      by_register[*control->ToSet()].push_back(i);
  }
  for (const auto& [index, exits] : by_register) {
    std::vector<std::size_t> branches;
    for (const std::size_t exit : exits) branches.push_back(shape->exits[exit].branch);
    if (EveryTripPasses(code, *shape, branches)) {
      loop.counted = exits;
      break;
    }
  }
  return loop;
}

std::optional<std::map<int, std::uint64_t>> ValuesForTrips(
    const BlockCode& code, const CountedLoop& loop, const std::map<int, std::uint64_t>& registers,
    int trips) {
  if (loop.counted.empty()) return std::nullopt;
  const auto control = ControlOf(code, loop.values, loop.shape.exits[loop.counted.front()].branch);
  if (!control) return std::nullopt;
  const GeneralNumber to_set = *control->ToSet();
  const bool sets_bound = control->bound == to_set;
  const std::uint64_t way =
      static_cast<std::uint64_t>(control->step) * static_cast<std::uint64_t>(trips - 1);
  auto reached = static_cast<std::uint64_t>(control->moving.constant) + way;
  for (const auto& [index, factor] : control->moving.registers) {
    if (!sets_bound && index == to_set) continue;
    const auto start = registers.find(index);
    if (start == registers.end()) return std::nullopt;
    reached += start->second * static_cast<std::uint64_t>(factor);
  }
  auto number = static_cast<std::uint64_t>(control->number);
  if (control->bound && !sets_bound) {
    const auto symbol = registers.find(*control->bound);
    if (symbol == registers.end()) return std::nullopt;
    number += symbol->second;
  }
  const std::uint64_t value = sets_bound ? reached - number : number - reached;
  return std::map<int, std::uint64_t>{{to_set, Narrow(value, control->bits)}};
}

std::optional<std::pair<GeneralNumber, std::uint64_t>> SymbolAtEnd(
    const BlockCode& code, const CountedLoop& loop, const std::map<int, std::uint64_t>& registers,
    int trips) {
  if (loop.counted.empty()) return std::nullopt;
  const auto control = ControlOf(code, loop.values, loop.shape.exits[loop.counted.front()].branch);
  if (!control || !control->bound || *control->bound < kFirstSymbol) return std::nullopt;
  // Where the symbol lies at 0, the register begins as far below it as it walks.
  std::map<int, std::uint64_t> at_zero = registers;
  at_zero[*control->bound] = 0;
  const auto values = ValuesForTrips(code, loop, at_zero, trips);
  const auto start = registers.find(*control->ToSet());
  if (!values || start == registers.end()) return std::nullopt;
  return std::pair(*control->bound, start->second - values->begin()->second);
}

std::optional<MeetingPointers> PointersThatMeet(const BlockCode& code, const CountedLoop& loop,
                                                int trips) {
  if (loop.counted.empty()) return std::nullopt;
  const auto control = ControlOf(code, loop.values, loop.shape.exits[loop.counted.front()].branch);
  if (!control || !control->bound || control->moving.registers.size() != 1 ||
      loop.values.StepOf(*control->bound).value_or(0) == 0)
    return std::nullopt;
  const auto& [base, factor] = *control->moving.registers.begin();
  const auto values = ValuesForTrips(code, loop, {{base, 0}}, trips);
  if (factor != 1 || !values) return std::nullopt;
  return MeetingPointers{.base = base,
                         .other = *control->bound,
                         .distance = static_cast<std::int64_t>(values->at(*control->bound))};
}

}  // namespace cyclescope::blocks
