#include "blocks/block_code.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "arch/kernel_parts.h"
#include "base/try.h"

namespace cyclescope::blocks {
namespace {

using assembler::AddressPart;
using assembler::Decoded;
using assembler::Operand;
using assembler::OperandKind;
using assembler::RegisterFile;

std::uint32_t Bits(const Operand& operand) {
  std::uint32_t bits = 0;
  for (int i = 0; i < operand.count; ++i)
    bits |= 1U << (operand.reg.index + i * operand.stride) % 32;
  return bits;
}

}  // namespace

std::optional<std::size_t> TargetOf(const Decoded& branch, const std::vector<Decoded>& decoded) {
  if (!branch.branch_distance) return std::nullopt;
  const auto target =
      static_cast<std::int64_t>(branch.offset + branch.size) + *branch.branch_distance;
  for (std::size_t i = 0; i < decoded.size(); ++i) {
    if (static_cast<std::int64_t>(decoded[i].offset) == target) return i;
  }
  const Decoded& last = decoded.back();
  if (static_cast<std::int64_t>(last.offset + last.size) == target) return decoded.size();
  return std::nullopt;
}

namespace {

// True if each return follows a call within the snippet, whatever is decided on the way, and each
// such call comes back.
bool CallsComeBack(const std::vector<Decoded>& decoded) {
  constexpr std::size_t kMaxCallDepth = 4;
  struct Step {
    std::size_t instruction = 0;
    std::vector<std::size_t> back;  // where returns lead, the next one last
    auto operator<=>(const Step&) const = default;
  };
  std::set<Step> seen;
  std::vector<Step> open = {{}};
  while (!open.empty()) {
    Step step = std::move(open.back());
    open.pop_back();
    if (step.instruction == decoded.size()) {
      if (!step.back.empty()) return false;
      continue;
    }
    if (!seen.insert(step).second) continue;
    const Decoded& here = decoded[step.instruction];
    const assembler::InstructionFlags& flags = here.instruction.flags;
    const auto target = TargetOf(here, decoded);
    if (flags.returns) {
      if (step.back.empty()) return false;
      step.instruction = step.back.back();
      step.back.pop_back();
      open.push_back(std::move(step));
      continue;
    }
    if (flags.call && target) {
      if (step.back.size() == kMaxCallDepth) return false;
      step.back.push_back(step.instruction + 1);
      open.push_back({*target, std::move(step.back)});
      continue;
    }
    if (target) open.push_back({*target, step.back});
    if (!target || !flags.never_falls_through) open.push_back({step.instruction + 1, step.back});
  }
  return true;
}

// Lets the branch that stands at `at` of the code go over this number of bytes behind it; false
// where it cannot.
bool LeadBranch(assembler::Assembler& assembler, const Decoded& branch, std::int64_t distance,
                std::size_t at, assembler::Bytes& code) {
  const auto led = assembler.LeadOver(branch.instruction, distance);
  if (!led || led->size() != branch.size) return false;
  std::ranges::copy(*led, code.begin() + static_cast<std::ptrdiff_t>(at));
  return true;
}

// Removes the instructions that leave, and leads branches over them. False when there were none.
Result<bool> TakeOutLeaving(assembler::Assembler& assembler, const std::vector<Decoded>& decoded,
                            std::span<const assembler::Instruction> written, BlockCode& code) {
  if (decoded.empty()) return false;
  const bool keeps_calls = CallsComeBack(decoded);
  const auto leaves = [&](const Decoded& each) {
    const assembler::InstructionFlags& flags = each.instruction.flags;
    if (flags.traps) return false;
    if (flags.returns || flags.call)
      return !keeps_calls || (flags.call && !TargetOf(each, decoded));
    return flags.indirect && std::ranges::none_of(code.tables, [&](const TableJump& jump) {
             return &decoded[jump.instruction] == &each;
           });
  };
  assembler::Bytes kept;
  std::vector<std::size_t> offsets;  // of all instructions and the end; of one that left, the next
  std::vector<std::size_t> numbers;  // likewise, among those that are kept
  std::size_t kept_count = 0;
  for (std::size_t i = 0; i < decoded.size(); ++i) {
    const Decoded& each = decoded[i];
    offsets.push_back(kept.size());
    numbers.push_back(kept_count);
    if (leaves(each)) {
      const std::string& text =
          written.size() == decoded.size() ? written[i].text : each.instruction.text;
      code.left_out.push_back(text);
      continue;
    }
    const auto begin = code.bytes.begin() + static_cast<std::ptrdiff_t>(each.offset);
    kept.insert(kept.end(), begin, begin + static_cast<std::ptrdiff_t>(each.size));
    ++kept_count;
  }
  offsets.push_back(kept.size());
  numbers.push_back(kept_count);
  if (kept.size() == code.bytes.size()) return false;
  for (std::size_t i = 0; i < decoded.size(); ++i) {
    const auto target = TargetOf(decoded[i], decoded);
    if (!target || leaves(decoded[i])) continue;
    const std::size_t end = offsets[i] + decoded[i].size;
    const auto distance =
        static_cast<std::int64_t>(offsets[*target]) - static_cast<std::int64_t>(end);
    if (!LeadBranch(assembler, decoded[i], distance, offsets[i], kept))
      return Failed(fmt::format("'{}' cannot be redirected over what leaves the snippet",
                                decoded[i].instruction.text));
  }
  code.bytes = std::move(kept);
  for (TableJump& jump : code.tables) {
    jump.instruction = numbers[jump.instruction];
    for (std::size_t& target : jump.targets) target = numbers[target];
  }
  std::erase_if(code.symbols,
                [&](const SymbolUse& use) { return leaves(decoded[use.instruction]); });
  for (SymbolUse& use : code.symbols) use.instruction = numbers[use.instruction];
  return true;
}

// Whose numbers they are. A symbol that is compared with is one for itself: an array's end is where
// its walk ends.
std::vector<SymbolUse> SymbolsOf(const std::vector<Decoded>& decoded,
                                 std::span<const assembler::SymbolAddress> symbols) {
  std::vector<SymbolUse> uses;
  std::vector<std::string> names;
  for (const assembler::SymbolAddress& each : symbols) {
    const auto owner = std::ranges::find_if(decoded, [&each](const Decoded& instruction) {
      return instruction.offset <= each.at && each.at < instruction.offset + instruction.size;
    });
    if (owner == decoded.end()) continue;
    SymbolUse& use = uses.emplace_back();
    use.instruction = static_cast<std::size_t>(owner - decoded.begin());
    use.at = each.at - owner->offset;
    use.bytes = each.bytes;
    use.addend = each.addend;
    // An immediate is the last part of an instruction.
    const bool has_immediate =
        std::ranges::any_of(owner->instruction.operands, [](const Operand& operand) {
          return operand.kind == OperandKind::kImmediate && operand.address == AddressPart::kNone &&
                 !operand.implicit;
        });
    use.in_address = !has_immediate || use.at + use.bytes < owner->size;
    const std::string name = use.in_address ? each.symbol : "";
    const auto known = name.empty() ? names.end() : std::ranges::find(names, name);
    use.number = kFirstSymbol + static_cast<int>(known - names.begin());
    if (known == names.end()) names.push_back(name);
  }
  return uses;
}

// Offsets to instructions. None where one of them does not fit the code.
std::vector<TableJump> TablesOf(const std::vector<Decoded>& decoded,
                                std::span<const assembler::JumpTargets> tables) {
  std::vector<TableJump> jumps;
  for (const assembler::JumpTargets& table : tables) {
    TableJump& jump = jumps.emplace_back();
    jump.instruction = table.jump;
    if (jump.instruction >= decoded.size() || !decoded[jump.instruction].instruction.flags.indirect)
      return {};
    for (const std::optional<std::size_t>& offset : table.offsets) {
      if (!offset) {
        jump.targets.push_back(decoded.size());
        continue;
      }
      const auto target = std::ranges::find(decoded, *offset, &Decoded::offset);
      if (target == decoded.end()) return {};
      jump.targets.push_back(static_cast<std::size_t>(target - decoded.begin()));
    }
  }
  return jumps;
}

Result<void> RedirectBranch(assembler::Assembler& assembler, const Decoded& branch,
                            BlockCode& code) {
  const auto left = static_cast<std::int64_t>(code.bytes.size() - branch.offset - branch.size);
  if (LeadBranch(assembler, branch, left, branch.offset, code.bytes)) return {};
  return Failed(fmt::format("'{}' leaves the snippet, and cannot be redirected to its end",
                            branch.instruction.text));
}

void NoteOperand(const Operand& operand, BlockCode& code) {
  if (operand.kind == OperandKind::kMemory) {
    code.touches_memory = true;
    code.loads_floats |= operand.read && operand.element != arch::ElementKind::kInteger;
    return;
  }
  if (operand.kind != OperandKind::kRegister) return;
  switch (operand.reg.file) {
    case RegisterFile::kGeneral:
      if (operand.stack_pointer || (arch::GeneralRegisters() & Bits(operand)) == 0) {
        code.uses_stack = true;
        code.stack_pointer = operand.reg.index;
        code.moves_stack |= operand.written;
        return;
      }
      code.used |= Bits(operand);
      if (operand.written) code.written |= Bits(operand);
      if (operand.address == AddressPart::kBase) code.bases |= Bits(operand);
      if (operand.address == AddressPart::kIndex) code.indexes |= Bits(operand);
      return;
    case RegisterFile::kVector:
      code.widest_vector = std::max<int>(code.widest_vector, operand.reg.bits);
      return;
    case RegisterFile::kMask:
      code.masks = true;
      return;
    case RegisterFile::kX87:
      code.x87 = true;
      return;
    case RegisterFile::kTile:
      code.tiles = true;
      return;
    case RegisterFile::kNone:
    case RegisterFile::kFlags:
    case RegisterFile::kMmx:
    case RegisterFile::kZero:
    case RegisterFile::kControl:
    case RegisterFile::kSystem:
      return;
  }
}

// A value set lists what registers that are read hold, in their order; addresses are not among
// them. What the snippet has `written` before, it does not need to find there.
void NoteNeededValues(const assembler::Instruction& instruction, std::uint32_t written,
                      BlockCode& code) {
  if (instruction.value_sets.empty()) return;
  const arch::ValueSet& set = instruction.value_sets.front();
  std::size_t place = 0;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind != OperandKind::kRegister || !operand.read ||
        operand.address != AddressPart::kNone || operand.reg.file == RegisterFile::kFlags)
      continue;
    if (place >= set.values.size()) return;
    if (operand.reg.file == RegisterFile::kGeneral && (Bits(operand) & written) == 0)
      code.needed_values.emplace(operand.reg.index, set.values[place]);
    ++place;
  }
}

void NoteInstruction(const Decoded& each, std::uint32_t written, BlockCode& code) {
  const assembler::Instruction& instruction = each.instruction;
  for (const Operand& operand : instruction.operands) NoteOperand(operand, code);
  // What AArch64 loads into a scalar (s0, d0) is a float as a rule, though a load does not say so.
  constexpr int kWholeVector = 128;
  code.loads_floats |= instruction.flags.may_load &&
                       std::ranges::any_of(instruction.operands, [](const Operand& operand) {
                         return operand.reg.file == RegisterFile::kVector && operand.written &&
                                operand.reg.bits < kWholeVector;
                       });
  code.branches |= instruction.flags.ChangesFlow();
  NoteNeededValues(instruction, written, code);
  if (!each.distance_at) return;
  const std::span<const std::uint8_t> bytes(code.bytes);
  code.data.push_back({.at = *each.distance_at,
                       .from = each.offset + each.size,
                       .distance = arch::DataDistance(bytes.subspan(*each.distance_at)),
                       .bytes = AccessedBytes(instruction)});
}

}  // namespace

std::int64_t AccessedBytes(const assembler::Instruction& instruction) {
  constexpr int kBitsOfByte = 8;
  std::int64_t bytes = 0;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind == OperandKind::kMemory)
      bytes = std::max<std::int64_t>(bytes, operand.memory_bits / kBitsOfByte);
  }
  return bytes;
}

Result<BlockCode> ReadBlockCode(assembler::Assembler& assembler, const assembler::Bytes& bytes,
                                std::span<const assembler::Instruction> written,
                                std::span<const assembler::JumpTargets> tables,
                                std::span<const assembler::SymbolAddress> symbols) {
  BlockCode code;
  code.bytes = bytes;
  code.decoded = assembler.Decode(code.bytes);
  if (!code.decoded) return code;
  code.tables = TablesOf(*code.decoded, tables);
  code.symbols = SymbolsOf(*code.decoded, symbols);
  const bool some_left = TRY(TakeOutLeaving(assembler, *code.decoded, written, code));
  if (some_left) code.decoded = assembler.Decode(code.bytes);
  for (const Decoded& each : *code.decoded) {
    if (!each.instruction.flags.branch || !each.branch_distance) continue;
    if (TargetOf(each, *code.decoded)) continue;
    TRY(RedirectBranch(assembler, each, code));
  }
  code.decoded = assembler.Decode(code.bytes);
  std::uint32_t set_so_far = 0;  // general registers
  for (const Decoded& each : *code.decoded) {
    NoteInstruction(each, set_so_far, code);
    for (const Operand& operand : each.instruction.operands) {
      if (operand.written && operand.reg.file == RegisterFile::kGeneral)
        set_so_far |= Bits(operand);
    }
  }
  return code;
}

const SymbolUse* SymbolOf(const BlockCode& code, std::size_t instruction) {
  const auto found = std::ranges::find(code.symbols, instruction, &SymbolUse::instruction);
  return found == code.symbols.end() ? nullptr : &*found;
}

Result<void> LinkCopies(assembler::Assembler& assembler, std::size_t header, BlockCode& code) {
  const std::vector<Decoded> decoded = *code.decoded;
  for (std::size_t i = 0; i < decoded.size(); ++i) {
    // A jump to the header at the beginning stays: each copy begins there.
    const bool enters = i == 0 && decoded[i].instruction.flags.never_falls_through;
    if (enters || TargetOf(decoded[i], decoded) != header) continue;
    TRY(RedirectBranch(assembler, decoded[i], code));
  }
  code.decoded = assembler.Decode(code.bytes);
  return {};
}

}  // namespace cyclescope::blocks
