#include "blocks/block.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "analysis/claims.h"
#include "arch/kernel_parts.h"
#include "blocks/block_bounds.h"
#include "blocks/block_trips.h"
#include "blocks/data_end.h"
#include "instructions/plan.h"

namespace cyclescope::blocks {
namespace {

int CountInstructions(const BlockSubject& subject, const Block& block,
                      assembler::Assembler& assembler) {
  if (subject.code.decoded) return static_cast<int>(subject.code.decoded->size());
  const auto lines = assembler.Disassemble(block.bytes);
  return static_cast<int>(
      std::ranges::count_if(lines, [](const auto& line) { return !line.text.empty(); }));
}

bool NamesUnknownRegister(const assembler::Instruction& instruction) {
  return std::ranges::any_of(instruction.operands, [](const assembler::Operand& operand) {
    return operand.kind == assembler::OperandKind::kRegister &&
           operand.reg.file == assembler::RegisterFile::kGeneral &&
           operand.reg.index >= arch::GeneralRegisterCount();
  });
}

// Why the snippet must not be run; unset when it may be.
std::optional<instructions::Refusal> RefusalOf(const Block& block, const BlockCode& code,
                                               bool filters_system_calls) {
  if (!code.decoded && !filters_system_calls) {
    return instructions::Refusal{
        Status::kUnmeasurable,
        "raw bytes may call the kernel, and this system offers no filter to stop them"};
  }
  const auto check =
      [&](const assembler::Instruction& instruction) -> std::optional<instructions::Refusal> {
    if (instruction.flags.privileged) {
      return instructions::Refusal{
          Status::kPrivileged, fmt::format("only the kernel may execute '{}'", instruction.text)};
    }
    if (NamesUnknownRegister(instruction)) {
      return instructions::Refusal{
          Status::kUnsupported,
          fmt::format("'{}' needs registers that this CPU does not have", instruction.text)};
    }
    if (instruction.flags.traps && !filters_system_calls) {
      return instructions::Refusal{
          Status::kUnmeasurable,
          fmt::format("'{}' enters the kernel, and this system offers no filter to stop it",
                      instruction.text)};
    }
    return std::nullopt;
  };
  for (const assembler::Instruction& instruction : block.init_instructions) {
    if (auto refusal = check(instruction)) return refusal;
  }
  if (!code.decoded) return std::nullopt;
  for (const assembler::Decoded& each : *code.decoded) {
    if (auto refusal = check(each.instruction)) return refusal;
  }
  return std::nullopt;
}

std::string CodeOf(assembler::Assembler& assembler, const Block& block, const BlockCode& code) {
  std::vector<std::string> lines;
  if (!block.raw && code.claims.empty() && code.left_out.empty()) {
    for (const assembler::Instruction& instruction : block.instructions)
      lines.push_back(instruction.text);
    return fmt::format("{}", fmt::join(lines, "\n"));
  }
  for (const assembler::DisassembledLine& line : assembler.Disassemble(code.bytes)) {
    lines.push_back(fmt::format("{:02x}  {}", fmt::join(line.bytes, " "),
                                line.text.empty() ? "(no instruction)" : line.text));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

// True if memory is laid out for it as a program would have it.
bool IsLaidOut(const Block& block) {
  return block.loop == BlockLoop::kUnrolled && !block.strict && !block.memory;
}

// Reads whether it is a loop, what counts its trips, and what a trip does with its registers.
void ReadFlow(assembler::Assembler& assembler, const Block& block, BlockSubject& subject) {
  if (!subject.code.decoded) return;
  if (block.loop == BlockLoop::kUnrolled) subject.loop = ReadLoop(subject.code);
  if (subject.loop) {
    const bool is_counted = !subject.loop->counted.empty() || CounterOfUser(block, subject.code);
    if (!is_counted && !subject.end && IsLaidOut(block)) {
      const Streams streams = FindStreams(subject.code, subject.loop->values, subject.tables);
      const auto end =
          streams.understood ? FindDataEnd(subject.code, *subject.loop, streams) : std::nullopt;
      if (end) {
        subject.end = end->walk;
        subject.loop->counted = {end->exit};
      }
    }
    // A user who says how many trips there are, or what counts them, wants to see those.
    const bool has_trips = block.trips || !subject.loop->counted.empty() || subject.end ||
                           CounterOfUser(block, subject.code);
    if (!has_trips && LinkCopies(assembler, subject.loop->shape.header, subject.code)) {
      subject.leads_on = true;
      // The first thing to know of its cycles.
      if (!subject.loop->shape.choices.empty())
        subject.code.claims.push_back({ClaimCode::kSameWay, {}});
      subject.code.claims.push_back({ClaimCode::kDataEndLoop, {}});
    } else {
      subject.is_loop = true;
      subject.exits = PlanExits(subject.code, *subject.loop);
    }
  }
  subject.values = subject.is_loop ? subject.loop->values : TripValues(subject.code, std::nullopt);
  subject.streams = FindStreams(subject.code, *subject.values, subject.tables);
}

// Reads the code with the tables that its jumps go through; without them where one is used in a way
// that is not known, or where nothing is known that ends the loop: these jumps then are left out.
Result<BlockCode> ReadCode(assembler::Assembler& assembler, const Block& block,
                           BlockSubject& subject) {
  auto code =
      ReadBlockCode(assembler, block.bytes, block.instructions, block.tables, block.symbols);
  if (!code || code->tables.empty()) return code;
  const auto loop = IsLaidOut(block) ? ReadLoop(*code) : std::nullopt;
  auto uses = loop ? ReadTables(*code, loop->values) : std::nullopt;
  if (uses) {
    const Streams streams = FindStreams(*code, loop->values, *uses);
    std::optional<EndOfWalk> end;
    if (loop->counted.empty()) end = FindEndOfWalk(loop->values, streams, *uses);
    if (streams.understood && !streams.by_base.empty() && (end || !loop->counted.empty())) {
      subject.tables = std::move(*uses);
      subject.end = end;
      return code;
    }
  }
  return ReadBlockCode(assembler, block.bytes, block.instructions, {}, block.symbols);
}

// What the compiler's file has around the loop, and ways through it that were left out.
void AddClaimsOfFile(const Block& block, BlockCode& code) {
  if (!block.avoided_calls.empty()) {
    code.claims.push_back(
        {ClaimCode::kAvoidsCalls,
         {{"calls", fmt::format("'{}'", fmt::join(block.avoided_calls, "', '"))}}});
  }
  if (!block.avoided_loops.empty()) {
    const auto count = static_cast<double>(block.avoided_loops.size());
    code.claims.push_back(
        {ClaimCode::kAvoidsLoops,
         {{"count", count}, {"lines", fmt::format("{}", fmt::join(block.avoided_loops, ", "))}}});
  }
  if (block.loop_around > 0) {
    code.claims.push_back(
        {ClaimCode::kLoopAround, {{"line", static_cast<double>(block.loop_around)}}});
  }
}

}  // namespace

std::optional<int> CounterOfUser(const Block& block, const BlockCode& code) {
  constexpr std::uint64_t kMostTrips = 1'000'000;
  if (block.registers.size() != 1) return std::nullopt;
  const auto& [index, value] = *block.registers.begin();
  const bool is_used = (code.used >> index & 1) != 0;
  return is_used && value <= kMostTrips ? std::optional(index) : std::nullopt;
}

BlockSubject ReadBlock(assembler::Assembler& assembler, Block read, bool filters_system_calls) {
  BlockSubject subject;
  subject.block = std::move(read);
  const Block& block = subject.block;
  BlockRow& row = subject.row;
  row.name = block.name;
  row.side = block.side;
  row.function = block.function;
  row.line = block.line;
  row.source = block.source;
  row.text = block.text;
  row.init = block.init_text;
  row.loop = block.loop != BlockLoop::kStraight;
  const auto refuse = [&](Status status, std::string reason) {
    row.status = status;
    row.reason = std::move(reason);
    subject.refused = true;
  };
  auto code = ReadCode(assembler, block, subject);
  if (!code) {
    refuse(Status::kUnmeasurable, code.error().ToString());
    return subject;
  }
  subject.code = std::move(*code);
  AddClaimsOfFile(block, subject.code);
  ReadFlow(assembler, block, subject);
  row.instructions = CountInstructions(subject, block, assembler);
  row.code = CodeOf(assembler, block, subject.code);
  for (const Claim& claim : subject.code.claims) AddNote(claim, row);
  row.left_out = subject.code.left_out;
  if (subject.is_loop && subject.streams.understood)
    row.bytes_per_trip = subject.streams.bytes_per_trip;
  const bool one_way = !subject.loop || subject.loop->shape.choices.empty();
  subject.knows_count =
      !subject.code.branches || (one_way && (subject.is_loop || subject.leads_on));
  if (const auto refusal = RefusalOf(block, subject.code, filters_system_calls)) {
    refuse(refusal->status, refusal->reason);
  } else if (subject.code.bytes.empty()) {
    refuse(Status::kUnmeasurable, "nothing is left of the snippet to be measured");
  }
  return subject;
}

bool DataDecideBranch(const BlockSubject& subject) {
  if (!subject.loop || !subject.values) return false;
  const std::vector<assembler::Decoded>& decoded = *subject.code.decoded;
  const auto is_by_data = [&](std::size_t choice) {
    if (decoded[choice].instruction.flags.indirect) return false;
    const auto decider = DeciderOf(subject.code, choice);
    if (!decider) return false;
    const assembler::Instruction& instruction = decoded[*decider].instruction;
    if (instruction.flags.may_load) return true;
    // What vector registers hold is not followed.
    const bool reads_vector =
        std::ranges::any_of(instruction.operands, [](const assembler::Operand& operand) {
          return operand.read && operand.kind == assembler::OperandKind::kRegister &&
                 operand.reg.file == assembler::RegisterFile::kVector;
        });
    if (reads_vector) {
      return std::ranges::any_of(subject.streams.uses,
                                 [](const MemoryUse& use) { return use.loads && use.to_vector; });
    }
    const TripValues::Decision* decision = subject.values->DecisionAt(*decider);
    return decision != nullptr &&
           std::ranges::any_of(decision->values,
                               [](const SymbolicValue& value) { return !value.loads.empty(); });
  };
  return std::ranges::any_of(subject.loop->shape.choices, is_by_data);
}

std::vector<BlockWay> WaysOf(const BlockSubject& subject, std::size_t most) {
  std::vector<BlockWay> ways;
  if (!subject.code.decoded) return ways;
  const std::vector<assembler::Decoded>& decoded = *subject.code.decoded;
  const auto found = WaysThrough(
      subject.code, subject.is_loop ? std::optional(subject.loop->shape) : std::nullopt, most);
  for (const std::vector<std::size_t>& numbers : found) {
    BlockWay& way = ways.emplace_back();
    for (const std::size_t number : numbers)
      way.instructions.push_back(decoded[number].instruction);
    // The numbers of instructions are those of the code only where there is one way.
    const bool in_order =
        found.size() == 1 && numbers.front() == 0 && numbers.size() == decoded.size();
    if (!in_order || !subject.values) continue;
    way.memory = FindMemoryLinks(*subject.values);
    way.places = FindMemoryPlaces(
        *subject.values, subject.code.stack_pointer,
        subject.code.moves_stack ? -static_cast<std::int64_t>(arch::StackOffsetOfFunctions()) : 0);
  }
  return ways;
}

std::vector<assembler::Instruction> IterationOf(const BlockSubject& subject) {
  std::vector<assembler::Instruction> instructions;
  if (!subject.code.decoded || !subject.knows_count) return instructions;
  for (const assembler::Decoded& each : *subject.code.decoded)
    instructions.push_back(each.instruction);
  return instructions;
}

}  // namespace cyclescope::blocks
