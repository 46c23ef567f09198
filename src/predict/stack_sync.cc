#include "predict/stack_sync.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace cyclescope::predict {
namespace {

using assembler::Instruction;
using assembler::Operand;
using assembler::OperandKind;

// What pushes and pops move without naming it; null where the instruction does not.
const Operand* MovedPointer(const Instruction& instruction) {
  const auto moved = std::ranges::find_if(instruction.operands, [](const Operand& operand) {
    return operand.kind == OperandKind::kRegister && operand.stack_pointer && operand.implicit &&
           operand.written;
  });
  return moved == instruction.operands.end() ? nullptr : &*moved;
}

std::int64_t MovedBytes(const Instruction& instruction) {
  constexpr std::int64_t kWordBytes = 8;
  if (MovedPointer(instruction) == nullptr) return 0;
  return instruction.flags.may_store ? -kWordBytes : kWordBytes;
}

bool Names(const Instruction& instruction, const assembler::Register& pointer,
           bool Operand::* access) {
  return std::ranges::any_of(instruction.operands, [&](const Operand& operand) {
    return operand.kind == OperandKind::kRegister && !operand.implicit && operand.*access &&
           operand.reg.Overlaps(pointer);
  });
}

}  // namespace

SyncedIteration WithStackSync(CoreModel& model, const BlockIteration& iteration) {
  const auto& given = iteration.instructions;
  SyncedIteration synced{.instructions = {},
                         .memory = {iteration.memory.begin(), iteration.memory.end()},
                         .places = {iteration.places.begin(), iteration.places.end()},
                         .takes_branch = iteration.takes_branch,
                         .bytes_to_jump = iteration.bytes_to_jump};
  const Operand* moved = nullptr;
  for (const Instruction& each : given) moved = moved != nullptr ? moved : MovedPointer(each);
  const Instruction* sync = moved != nullptr ? model.StackSync() : nullptr;
  // Where one stands in front, in the long run: the second time around the start is as it stays.
  std::vector<bool> is_synced(given.size());
  std::int64_t counted = 0;
  for (int round = 0; round < 2 && sync != nullptr; ++round) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      is_synced[i] = counted != 0 && Names(given[i], moved->reg, &Operand::read);
      if (is_synced[i] || Names(given[i], moved->reg, &Operand::written)) counted = 0;
      counted += MovedBytes(given[i]);
    }
  }
  std::vector<std::size_t> places(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (is_synced[i]) synced.instructions.push_back(*sync);
    places[i] = synced.instructions.size();
    synced.instructions.push_back(given[i]);
  }
  for (MemoryLink& link : synced.memory) {
    link.store = places[link.store];
    link.load = places[link.load];
  }
  for (MemoryPlace& place : synced.places) place.instruction = places[place.instruction];
  return synced;
}

}  // namespace cyclescope::predict
