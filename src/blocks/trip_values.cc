#include "blocks/trip_values.h"

#include <algorithm>

#include "base/saturated.h"

namespace cyclescope::blocks {
namespace {

using assembler::AddressPart;
using assembler::Arithmetic;
using assembler::Instruction;
using assembler::Operand;
using assembler::OperandKind;
using assembler::RegisterFile;

bool HoldsValues(const Operand& operand) {
  return operand.kind == OperandKind::kRegister &&
         (operand.reg.file == RegisterFile::kGeneral || operand.reg.file == RegisterFile::kVector);
}

std::pair<int, int> KeyOf(const Operand& operand, int of_list = 0) {
  return {static_cast<int>(operand.reg.file), (operand.reg.index + of_list * operand.stride) % 32};
}

void Add(const SymbolicValue& value, std::int64_t times, SymbolicValue& sum) {
  for (const auto& [index, factor] : value.registers) {
    std::int64_t& all = sum.registers[index];
    all = SaturatedSum(all, SaturatedProduct(factor, times));
    if (all == 0) sum.registers.erase(index);
  }
  sum.constant = SaturatedSum(sum.constant, SaturatedProduct(value.constant, times));
  const std::int64_t spread = SaturatedProduct(value.spread, times);
  sum.constant = SaturatedSum(sum.constant, std::min<std::int64_t>(spread, 0));
  sum.spread = SaturatedSum(sum.spread, SaturatedSize(spread));
  // Without loads there is nothing to be bounded.
  sum.bounded = !(sum.loads.empty() && value.loads.empty()) && (sum.loads.empty() || sum.bounded) &&
                (value.loads.empty() || value.bounded);
  sum.multiplied |= value.multiplied || (!value.loads.empty() && times != 1);
  for (const std::size_t load : value.loads) sum.multiplied |= !sum.loads.insert(load).second;
  sum.narrowed = (sum.narrowed || value.narrowed) && (!sum.vague || sum.narrowed) &&
                 (!value.vague || value.narrowed);
  sum.vague |= value.vague;
}

// What is left of a value when something was done to it that is not followed here.
void Blur(const SymbolicValue& value, SymbolicValue& into) {
  into.loads.insert(value.loads.begin(), value.loads.end());
  into.vague = true;
  into.narrowed = false;
  into.bounded = false;
}

// What an instruction gives that cuts the value off, from 0 to a limit.
SymbolicValue Limited(const SymbolicValue& value, std::int64_t limit) {
  return {.constant = 0, .spread = limit, .loads = value.loads, .bounded = true};
}

SymbolicValue Narrowed(const SymbolicValue& value) {
  // A number that every width holds stays what it is.
  constexpr std::int64_t kMostOfAll = 127;
  const bool is_small = value.registers.empty() && !value.vague && value.constant >= 0 &&
                        value.constant + value.spread <= kMostOfAll;
  if (is_small && (value.loads.empty() || value.bounded)) return value;
  SymbolicValue narrowed;
  Blur(value, narrowed);
  narrowed.narrowed =
      value.registers.empty() && value.spread == 0 && (!value.vague || value.narrowed);
  if (narrowed.narrowed) narrowed.constant = value.constant;
  return narrowed;
}

bool TouchesMemory(const Instruction& instruction) {
  return instruction.flags.may_load || instruction.flags.may_store;
}

// How far pushes, pops and the like move the stack pointer, which they do not name.
struct StackMove {
  const Operand* pointer = nullptr;
  std::int64_t bytes = 0;
  bool is_own_access = true;  // what they touch in memory is on the stack, and nothing else
};
std::optional<StackMove> StackMoveOf(const Instruction& instruction) {
  if (instruction.flags.ChangesFlow()) return std::nullopt;
  StackMove move;
  int bits = 0;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind == OperandKind::kMemory) bits = operand.memory_bits;
    if (operand.address != AddressPart::kNone) move.is_own_access = false;
    if (!operand.implicit || !operand.written || operand.reg.file != RegisterFile::kGeneral)
      continue;
    // `leave` gives it another register's value.
    if (!operand.stack_pointer || !operand.read) return std::nullopt;
    move.pointer = &operand;
  }
  constexpr int kBitsOfByte = 8, kWordBytes = 8;
  if (move.pointer == nullptr) return std::nullopt;
  // `push [rax]` loads, too; `pop [rax]` does both, and is not followed.
  const bool pushes = instruction.flags.may_store;
  if (pushes && !move.is_own_access && instruction.name != "push") return std::nullopt;
  // Where the table does not say how wide it is, it is a word.
  move.bytes = (pushes ? -1 : 1) * (bits > 0 ? bits / kBitsOfByte : kWordBytes);
  return move;
}

// What is known where two ways meet.
SymbolicValue Joined(const SymbolicValue& first, const SymbolicValue& second) {
  if (first == second) return first;
  SymbolicValue joined;
  if (first.registers == second.registers && first.loads == second.loads &&
      first.bounded == second.bounded && !first.vague && !second.vague) {
    joined = first;
    joined.constant = std::min(first.constant, second.constant);
    joined.spread = SaturatedSum(std::max(SaturatedSum(first.constant, first.spread),
                                          SaturatedSum(second.constant, second.spread)),
                                 -joined.constant);
    return joined;
  }
  Blur(first, joined);
  Blur(second, joined);
  return joined;
}

}  // namespace

TripValues::TripValues(const BlockCode& code, const std::optional<LoopShape>& loop) {
  if (!code.decoded) return;
  const std::vector<std::size_t> order = loop ? loop->body : OrderWithoutLoops(code);
  if (order.empty()) return;
  const auto next = FollowersOf(code);
  const std::size_t begin = loop ? loop->header : 0;
  std::map<std::size_t, State> before = {{begin, {}}};
  const auto merge = [](const State& from, State& into) {
    State all = into;
    all.insert(from.begin(), from.end());
    for (auto& [key, value] : all) value = Joined(ValueOf(from, key), ValueOf(into, key));
    into = std::move(all);
  };
  for (const std::size_t number : order) {
    const auto found = before.find(number);
    if (found == before.end()) continue;
    State state = found->second;
    Execute(number, (*code.decoded)[number], SymbolOf(code, number), state);
    for (const std::size_t follower : next[number]) {
      const bool ends = loop ? follower == begin : follower == code.decoded->size();
      if (ends) {
        if (end_)
          merge(state, *end_);
        else
          end_ = state;
      } else if (const auto other = before.find(follower); other != before.end()) {
        merge(state, other->second);
      } else {
        before.emplace(follower, state);
      }
    }
  }
}

// At first a general register holds itself.
SymbolicValue TripValues::ValueOf(const State& state, const RegisterKey& key) {
  const auto found = state.find(key);
  if (found != state.end()) return found->second;
  SymbolicValue initial;
  if (key.first == static_cast<int>(RegisterFile::kGeneral)) initial.registers[key.second] = 1;
  return initial;
}

TripValues::Inputs TripValues::InputsOf(const Instruction& instruction, const State& state) {
  Inputs inputs;
  for (const Operand& operand : instruction.operands) {
    inputs.is_relative |=
        operand.address == AddressPart::kBase && !arch::CarriesValues(operand.reg.file);
    const bool in_address =
        operand.address == AddressPart::kBase || operand.address == AddressPart::kIndex;
    if (operand.address == AddressPart::kDisplacement)
      inputs.address.constant = SaturatedSum(inputs.address.constant, operand.bytes);
    if (operand.address == AddressPart::kIncrement) inputs.increment = operand.bytes;
    const bool is_zero = operand.kind == OperandKind::kRegister && !in_address &&
                         operand.reg.file == RegisterFile::kZero;
    if (!HoldsValues(operand) && !is_zero) continue;
    const SymbolicValue value = is_zero ? SymbolicValue{} : ValueOf(state, KeyOf(operand));
    if (in_address) {
      Add(value, operand.multiplier, inputs.address);
      if (operand.address == AddressPart::kBase) inputs.base = &operand;
      if (!value.loads.empty() || value.vague) inputs.multiplier = operand.multiplier;
    }
    if (!operand.read) continue;
    SymbolicValue selected = value;
    if (inputs.any) selected.constant = SaturatedSum(selected.constant, instruction.number);
    inputs.any = inputs.any ? Joined(*inputs.any, selected) : selected;
    Add(value, operand.multiplier, inputs.sum);
    Blur(value, inputs.blurred);
  }
  return inputs;
}

SymbolicValue TripValues::ResultOf(std::size_t number, const Instruction& instruction,
                                   const Inputs& inputs) {
  // Larger tables are no part of a loop in the first-level cache.
  constexpr std::int64_t kMostLimit = 0xffff;
  if (instruction.flags.zeroes) return {};
  if (TouchesMemory(instruction)) {
    if (!instruction.flags.may_load) return inputs.blurred;
    // What is made of a loaded value and others is theirs and the load's.
    SymbolicValue loaded = instruction.flags.plain_load ? SymbolicValue{} : inputs.blurred;
    loaded.loads.insert(number);
    return loaded;
  }
  if (instruction.result_limit.value_or(kMostLimit + 1) <= kMostLimit)
    return Limited(inputs.blurred, *instruction.result_limit);
  SymbolicValue sum = inputs.sum;
  switch (instruction.arithmetic) {
    case Arithmetic::kSelects:
      return inputs.any ? *inputs.any : inputs.blurred;
    case Arithmetic::kSums: {
      // An address that is only computed has a displacement.
      const std::int64_t displacement = inputs.address.constant;
      sum.constant =
          SaturatedSum(sum.constant, displacement != 0 ? displacement : instruction.number);
      return sum;
    }
    case Arithmetic::kAdds:
      sum.constant = SaturatedSum(sum.constant, instruction.number);
      sum.spread = SaturatedSum(sum.spread, instruction.number_spread);
      return sum;
    case Arithmetic::kExtends:
      return Narrowed(sum);
    case Arithmetic::kOther:
    case Arithmetic::kCompares:
    case Arithmetic::kTestsBits:
      break;
  }
  return inputs.blurred;
}

void TripValues::Execute(std::size_t number, const assembler::Decoded& decoded,
                         const SymbolUse* symbol, State& state) {
  const Instruction& instruction = decoded.instruction;
  const bool touches = TouchesMemory(instruction);
  Inputs inputs = InputsOf(instruction, state);
  if (symbol != nullptr) {
    SymbolicValue place;
    place.registers[symbol->number] = 1;
    place.constant = symbol->addend;
    // An address that is only computed is a part of the sum, and its number is the address's.
    if (symbol->in_address) Add(place, 1, inputs.address);
    if (!touches)
      Add({.registers = place.registers, .constant = symbol->in_address ? 0 : symbol->addend}, 1,
          inputs.sum);
  }
  const auto stack = StackMoveOf(instruction);
  SymbolicValue top;  // what the stack pointer holds behind it
  if (stack) {
    top = ValueOf(state, KeyOf(*stack->pointer));
    // What is pushed lies where the pointer is then, and what is popped where it was.
    if (stack->is_own_access) inputs.address = top;
    top.constant = SaturatedSum(top.constant, stack->bytes);
    if (stack->is_own_access && stack->bytes < 0) inputs.address = top;
  }
  NoteDecision(number, instruction, symbol, state);
  if (touches) {
    const SymbolicValue& address = inputs.address;
    MemoryUse& use = NoteAccess(number, instruction, address, inputs.multiplier);
    if (inputs.is_relative && address == SymbolicValue{.constant = address.constant})
      use.target =
          SaturatedSum(static_cast<std::int64_t>(decoded.offset + decoded.size), address.constant);
    if (stack && stack->is_own_access) use.bytes = SaturatedSize(stack->bytes);
    if (stack && !stack->is_own_access) {
      use.stores = false;
      NoteAccess(number, instruction, top, 1).loads = false;
    }
  }
  const SymbolicValue result = ResultOf(number, instruction, inputs);
  for (const Operand& operand : instruction.operands) {
    if (!HoldsValues(operand) || !operand.written) continue;
    if (stack && &operand == stack->pointer) {
      state[KeyOf(operand)] = top;
    } else if (touches && &operand == inputs.base && IsGeneralRegister(operand)) {
      SymbolicValue moved = inputs.increment ? ValueOf(state, KeyOf(operand)) : inputs.address;
      moved.constant = SaturatedSum(moved.constant, inputs.increment.value_or(0));
      state[KeyOf(operand)] = std::move(moved);
    } else {
      for (int i = 0; i < operand.count; ++i) state[KeyOf(operand, i)] = result;
    }
  }
}

MemoryUse& TripValues::NoteAccess(std::size_t number, const Instruction& instruction,
                                  const SymbolicValue& address, std::int64_t multiplier) {
  MemoryUse use{.instruction = number,
                .address = address,
                .loads = instruction.flags.may_load,
                .stores = instruction.flags.may_store,
                .multiplier = multiplier};
  use.bytes = AccessedBytes(instruction);
  for (const Operand& operand : instruction.operands) {
    if (operand.kind == OperandKind::kMemory) {
      use.to_vector |= operand.element != arch::ElementKind::kInteger;
      use.extended |= operand.element == arch::ElementKind::kExtended;
    }
    use.to_vector |= operand.kind == OperandKind::kRegister &&
                     operand.reg.file == RegisterFile::kVector &&
                     operand.address == AddressPart::kNone;
  }
  return accesses_.emplace_back(std::move(use));
}

void TripValues::NoteDecision(std::size_t number, const Instruction& instruction,
                              const SymbolUse* symbol, const State& state) {
  const bool sets_flags = std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.reg.file == RegisterFile::kFlags && operand.written;
  });
  if (!sets_flags && !instruction.flags.branch) return;
  Decision& decision = decisions_[number];
  for (const Operand& operand : instruction.operands) {
    if (!IsGeneralRegister(operand) || !operand.read) continue;
    const bool known = std::ranges::any_of(decision.operands, [&operand](const Operand& other) {
      return other.reg.index == operand.reg.index;
    });
    if (known) continue;
    decision.operands.push_back(operand);
    decision.values.push_back(ValueOf(state, KeyOf(operand)));
  }
  if (symbol == nullptr || symbol->in_address) return;
  Operand address{.kind = OperandKind::kRegister, .read = true};
  address.reg = {.file = RegisterFile::kGeneral,
                 .index = static_cast<std::uint8_t>(symbol->number),
                 .bits = 64};
  decision.operands.push_back(std::move(address));
  decision.values.push_back({.registers = {{symbol->number, 1}}, .constant = symbol->addend});
}

std::optional<std::int64_t> TripValues::StepOf(const SymbolicValue& value) const {
  if (!value.is_exact() || !value.loads.empty()) return std::nullopt;
  std::int64_t step = 0;
  for (const auto& [index, factor] : value.registers) {
    const auto own = StepOf(index);
    if (!own) return std::nullopt;
    step = SaturatedSum(step, SaturatedProduct(factor, *own));
  }
  return step;
}

const SymbolicValue* TripValues::MovedBy(GeneralNumber index) const {
  static const SymbolicValue kNothing;
  if (!end_) return nullptr;
  const auto found = end_->find({static_cast<int>(RegisterFile::kGeneral), index});
  if (found == end_->end()) return &kNothing;
  const SymbolicValue& value = found->second;
  const bool is_itself = value.registers == std::map<GeneralNumber, std::int64_t>{{index, 1}};
  return is_itself && !value.vague && value.loads.empty() ? &value : nullptr;
}

std::optional<std::int64_t> TripValues::StepOf(GeneralNumber index) const {
  const SymbolicValue* value = MovedBy(index);
  if (value == nullptr || value->spread != 0) return std::nullopt;
  return value->constant;
}

std::optional<std::int64_t> TripValues::FarthestStepOf(GeneralNumber index) const {
  const SymbolicValue* value = MovedBy(index);
  if (value == nullptr) return std::nullopt;
  if (WrapOf(index)) return 0;
  const std::int64_t most = SaturatedSum(value->constant, value->spread);
  return SaturatedSize(most) >= SaturatedSize(value->constant) ? most : value->constant;
}

std::optional<std::int64_t> TripValues::WrapOf(GeneralNumber index) const {
  // A number that goes up or down by data does not come back by more than this times a step.
  constexpr std::int64_t kLeastRatio = 8;
  const SymbolicValue* value = MovedBy(index);
  if (value == nullptr) return std::nullopt;
  const std::int64_t down = -value->constant;
  const std::int64_t up = SaturatedSum(value->constant, value->spread);
  if (down <= 0 || up <= 0 || value->spread < kLeastRatio * std::min(down, up)) return std::nullopt;
  return value->spread;
}

std::set<std::size_t> TripValues::LoadsAtEnd(GeneralNumber index) const {
  if (!end_) return {};
  const auto found = end_->find({static_cast<int>(RegisterFile::kGeneral), index});
  if (found == end_->end() || !found->second.registers.empty()) return {};
  return found->second.loads;
}

std::optional<GeneralNumber> TripValues::StepRegisterOf(GeneralNumber index) const {
  if (!end_) return std::nullopt;
  const auto found = end_->find({static_cast<int>(RegisterFile::kGeneral), index});
  if (found == end_->end()) return std::nullopt;
  const SymbolicValue& value = found->second;
  if (value.registers.size() != 2 || !value.is_exact() || !value.loads.empty()) return std::nullopt;
  const auto own = value.registers.find(index);
  if (own == value.registers.end() || own->second != 1) return std::nullopt;
  for (const auto& [other, factor] : value.registers) {
    if (other != index && factor == 1 && StepOf(other) == 0) return other;
  }
  return std::nullopt;
}

}  // namespace cyclescope::blocks
