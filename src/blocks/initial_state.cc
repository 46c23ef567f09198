#include "blocks/initial_state.h"

#include <fmt/core.h>

#include <bit>
#include <chrono>
#include <utility>
#include <vector>

#include "analysis/claims.h"
#include "arch/kernel_parts.h"
#include "blocks/block_memory.h"
#include "blocks/trip_values.h"

namespace cyclescope::blocks {
namespace {

// Code that never ends should not cost more than it has to.
constexpr std::chrono::milliseconds kTimeLimit{250};

// What registers hold that data exits compare with memory: no byte of our data is like these.
constexpr std::uint64_t kUnlikeData = 0x8080'8080'8080'8080;

// The registers that a data exit's comparison finds unchanged in each trip, and that are no part of
// an address.
std::vector<int> ComparedWithData(const BlockSubject& subject) {
  std::vector<int> compared;
  const TripValues& values = *subject.values;
  for (const LoopExit& exit : subject.loop->DataExits()) {
    for (std::size_t i = exit.branch + 1; i-- > 0;) {
      const TripValues::Decision* decision = values.DecisionAt(i);
      if (decision == nullptr || (i == exit.branch && decision->operands.empty())) continue;
      for (const assembler::Operand& operand : decision->operands) {
        const int index = operand.reg.index;
        const bool is_address = operand.address != assembler::AddressPart::kNone ||
                                subject.streams.by_base.contains(index);
        if (!is_address && values.StepOf(index) == 0) compared.push_back(index);
      }
      break;
    }
  }
  return compared;
}

// Areas for every register that addresses start from, and what those hold then. False where that
// cannot be done.
bool LayOut(const BlockSubject& subject, const Setup& setup, int longest, InitialState& state) {
  const Block& block = subject.block;
  AreaWishes wishes{
      .data = *setup.areas,
      .trips = longest,
      .avoid_exits = subject.exits.NeedsTrap() || (subject.end && subject.end->is_by_value),
      .end = subject.end,
      .meeting = {},
      .registers = {},
      .page_size = sandbox::PageSize()};
  if (block.footprint) wishes.most_bytes += 2 * *block.footprint;
  if (block.memory) {
    wishes.pattern = MemoryPattern(*block.memory);
    wishes.contents = block.memory_contents;
  }
  std::map<int, std::uint64_t> registers = state.registers;
  for (const int index : subject.streams.indexes) registers[index] = 0;
  if (subject.is_loop) {
    // A counter that is no address may begin anywhere.
    if (const auto values = ValuesForTrips(subject.code, *subject.loop, registers, longest)) {
      for (const auto& [index, value] : *values) {
        if (!subject.streams.by_base.contains(index)) wishes.registers[index] = value;
      }
    }
    const auto meeting = PointersThatMeet(subject.code, *subject.loop, longest);
    if (meeting && subject.streams.by_base.contains(meeting->base) &&
        subject.streams.by_base.contains(meeting->other))
      wishes.meeting = meeting;
    for (const int index : ComparedWithData(subject)) state.registers[index] = kUnlikeData;
  }
  for (const auto& [index, value] : block.registers) wishes.registers[index] = value;
  auto areas = LayOutAreas(*subject.values, subject.streams, wishes);
  if (!areas) return false;
  for (const auto& [index, value] : areas->registers)
    (index < kFirstSymbol ? state.registers : state.symbols)[index] = value;
  if (subject.is_loop) {
    if (const auto end = SymbolAtEnd(subject.code, *subject.loop, state.registers, longest))
      state.symbols.insert_or_assign(end->first, end->second);
  }
  state.surroundings.areas = std::move(areas->areas);
  state.surroundings.image = std::move(areas->image);
  state.footprint = areas->footprint;
  return true;
}

}  // namespace

InitialState StateOf(instructions::Planner& planner, const BlockSubject& subject,
                     const Setup& setup, const std::set<std::uint64_t>& pages,
                     const sandbox::KernelPlaces& places, int longest) {
  const Block& block = subject.block;
  const BlockCode& code = subject.code;
  InitialState state;
  state.stack = block.strict ? places.stack : InitialStack(setup);
  if (block.strict) {
    state.memory = planner.builder().address();
    for (int i = 0; i < 32; ++i) {
      if ((arch::GeneralRegisters() >> i & 1) != 0) state.registers[i] = state.memory;
    }
  } else {
    state.registers = InitialValues(code, setup.registers);
    state.memory = MemoryPattern(setup.memory);
    state.surroundings.scratch = false;
    state.surroundings.time_limit = kTimeLimit;
  }
  const bool laid_out = setup.areas && LayOut(subject, setup, longest, state);
  for (const auto& [index, value] : block.registers) state.registers[index] = value;
  if (block.memory) {
    state.memory = MemoryPattern(*block.memory);
    state.surroundings.contents = block.memory_contents;
  }
  for (const SymbolUse& use : code.symbols)
    state.symbols.try_emplace(use.number, InitialAddress(use.number));
  if (block.strict) return state;
  std::set<std::uint64_t> all;
  if (!laid_out) all = FirstPages(code, state.registers, setup, sandbox::PageSize());
  all.insert(pages.begin(), pages.end());
  state.surroundings.pages.assign(all.begin(), all.end());
  state.surroundings.stack = state.stack;
  return state;
}

void DescribeState(instructions::Planner& planner, const BlockSubject& subject, const Setup& setup,
                   const InitialState& state, BlockRow& row) {
  const Block& block = subject.block;
  const BlockCode& code = subject.code;
  for (const auto& [index, value] : state.registers) {
    if ((code.used >> index & 1) == 0) continue;
    const assembler::Register reg = {
        .file = RegisterFile::kGeneral, .index = static_cast<std::uint8_t>(index), .bits = 64};
    row.registers.push_back({planner.assembler().RegisterName(reg), fmt::format("{:#x}", value)});
  }
  row.pages = static_cast<int>(state.surroundings.pages.size());
  row.passes = setup.passes;
  row.footprint = state.footprint;
  const bool areas = !state.surroundings.areas.empty();
  if (!block.strict)
    row.memory = areas && !block.memory ? ToString(*setup.areas) : ToString(setup.memory);
  if (state.surroundings.pages.size() > sandbox::kMostOwnPages) {
    AddNote({ClaimCode::kOnePage, {{"pages", static_cast<double>(row.pages)}}}, row);
  }
  if (setup.sets_bases) {
    const auto slots = static_cast<double>(std::popcount(code.bases & code.written));
    AddNote({ClaimCode::kSetsBases, {{"slots", slots}}}, row);
  }
  if (setup.leaves_early) {
    AddNote({ClaimCode::kLeavesEarly, {}}, row);
  }
  if (setup.sets_stack) {
    AddNote({ClaimCode::kSetsStack, {}}, row);
  }
}

}  // namespace cyclescope::blocks
