#include "assembler/assembler.h"

#include <fmt/core.h>
#include <llvm/ADT/SmallVector.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "assembler/isa.h"
#include "assembler/llvm_target.h"
#include "assembler/roles.h"
#include "base/try.h"

namespace cyclescope::assembler {
namespace {

llvm::ArrayRef<std::uint8_t> AsBytes(const llvm::SmallVectorImpl<char>& chars) {
  return {reinterpret_cast<const std::uint8_t*>(chars.data()), chars.size()};
}

// After its slots changed: text, names and length follow.
void Refresh(const Llvm& llvm, Instruction& instruction) {
  const llvm::MCInst inst = ToMcInst(instruction);
  instruction.text = PrintInst(llvm, inst);
  instruction.mnemonic = MnemonicOf(llvm, instruction.text);
  NameOperands(llvm, instruction);
  llvm::SmallVector<char, 16> bytes;
  AppendBytes(llvm, inst, bytes);
  instruction.length = static_cast<std::uint8_t>(bytes.size());
}

// Where in an instruction of `size` bytes the distance to its memory operand stands, if it is given
// by one: found by encoding another distance. Counted from the end, as prefixes that do nothing are
// not encoded again.
std::optional<std::size_t> DistanceInside(const Llvm& llvm, const Instruction& instruction,
                                          std::size_t size) {
  if (instruction.opcode == "ADRP") return 0;
  const bool relative = std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.address == AddressPart::kBase && operand.reg.file == RegisterFile::kSystem;
  });
  const auto distance =
      std::ranges::find(instruction.operands, AddressPart::kDisplacement, &Operand::address);
  if (!relative || distance == instruction.operands.end()) return std::nullopt;
  std::array<llvm::SmallVector<char, 16>, 2> encoded;
  Instruction changed = instruction;
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    constexpr std::array<std::int64_t, 2> kDistances = {0x11111111, 0x22222222};
    changed.slots[static_cast<std::size_t>(distance->slot)] = {Slot::Kind::kImmediate,
                                                               kDistances[i]};
    AppendBytes(llvm, ToMcInst(changed), encoded[i]);
  }
  if (encoded[0].size() != encoded[1].size()) return std::nullopt;
  const auto differ = std::ranges::mismatch(encoded[0], encoded[1]).in1;
  const auto from_end = static_cast<std::size_t>(encoded[0].end() - differ);
  if (from_end < sizeof(std::uint32_t) || from_end > size) return std::nullopt;
  return size - from_end;
}

struct FirstInstruction {
  llvm::MCInst inst;
  std::size_t size = 0;
};

// The instruction that the bytes begin with, which stand at `offset`; unset where they do not.
std::optional<FirstInstruction> FirstIn(const Llvm& llvm, std::span<const std::uint8_t> bytes,
                                        std::size_t offset) {
  FirstInstruction first;
  std::uint64_t size = 0;
  const auto status = llvm.disassembler->getInstruction(
      first.inst, size, llvm::ArrayRef(bytes.data(), bytes.size()), offset, llvm::nulls());
  if (status != llvm::MCDisassembler::Success || size == 0) return std::nullopt;
  first.size = size;
  return first;
}

}  // namespace

Assembler::Assembler(std::unique_ptr<Llvm> llvm) : llvm_(std::move(llvm)) {}
Assembler::Assembler(Assembler&&) noexcept = default;
Assembler& Assembler::operator=(Assembler&&) noexcept = default;
Assembler::~Assembler() = default;

Result<Assembler> Assembler::Create(const Target& target) {
  auto llvm = TRY(Llvm::Create(target));
  return Assembler(std::move(llvm));
}

const Target& Assembler::target() const { return llvm_->description; }

Instruction Assembler::Rename(const Instruction& instruction,
                              std::span<const RegisterChoice> choices) {
  assert(!instruction.RefersToLabel());
  Instruction renamed = instruction;
  const llvm::MCInstrDesc& desc = llvm_->instructions->get(instruction.opcode_number);
  for (const RegisterChoice& choice : choices) {
    Operand& operand = renamed.operands[choice.operand];
    assert((operand.allowed >> choice.index & 1) != 0 && "the operand cannot be that register");
    const llvm::MCRegister reg = llvm_->RegisterFor(desc, operand, choice.index);
    operand.reg.index = choice.index;
    for (const std::int8_t slot : {operand.slot, operand.tied_slot}) {
      if (slot != kNoSlot) renamed.slots[static_cast<std::size_t>(slot)].value = reg.id();
    }
  }
  if (llvm_->rules->keep_encoding != nullptr) llvm_->rules->keep_encoding(instruction, renamed);
  Refresh(*llvm_, renamed);
  return renamed;
}

Result<Instruction> Assembler::SetValue(const Instruction& instruction, std::size_t operand,
                                        std::int64_t value) {
  assert(!instruction.RefersToLabel());
  // The encoder has no answer to a shift or condition that does not exist.
  assert(instruction.operands[operand].kind == OperandKind::kImmediate ||
         instruction.operands[operand].kind == OperandKind::kLabel);
  Instruction changed = instruction;
  changed.operands[operand].value = value;
  const auto slot = static_cast<unsigned>(changed.operands[operand].slot);
  changed.slots[slot].value = value;
  // The encoder cuts off what a field does not hold; what comes back from the bytes tells.
  llvm::SmallVector<char, 16> bytes;
  AppendBytes(*llvm_, ToMcInst(changed), bytes);
  llvm::MCInst decoded;
  std::uint64_t size = 0;
  const auto status =
      llvm_->disassembler->getInstruction(decoded, size, AsBytes(bytes), 0, llvm::nulls());
  const bool kept = status != llvm::MCDisassembler::Fail && slot < decoded.getNumOperands() &&
                    decoded.getOperand(slot).isImm() && decoded.getOperand(slot).getImm() == value;
  if (!kept) {
    return BadInput(fmt::format("'{}' has no room for the value {}", instruction.text, value));
  }
  Refresh(*llvm_, changed);
  return changed;
}

Instruction Assembler::AtAddress(const Instruction& instruction, std::uint64_t address) {
  std::optional<std::size_t> number;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    switch (operand.address) {
      case AddressPart::kDisplacement:
        number = i;
        break;
      case AddressPart::kBase:
      case AddressPart::kIndex:
      case AddressPart::kScale:
        return instruction;
      case AddressPart::kNone:
      case AddressPart::kSegment:
      case AddressPart::kIncrement:
        break;
    }
  }
  if (!number || instruction.operands[*number].kind != OperandKind::kImmediate) return instruction;
  return SetValue(instruction, *number, static_cast<std::int64_t>(address)).value_or(instruction);
}

std::optional<Instruction> Assembler::WithShortImmediate(const Instruction& instruction) {
  if (!instruction.flags.length_changing_prefix) return std::nullopt;
  const auto immediate =
      std::ranges::find(instruction.operands.rbegin(), instruction.operands.rend(),
                        OperandKind::kImmediate, &Operand::kind);
  if (immediate == instruction.operands.rend()) return std::nullopt;
  const auto place = static_cast<std::size_t>(instruction.operands.rend() - immediate) - 1;
  constexpr std::int64_t kOneByteImmediate = 5;
  const auto changed = SetValue(instruction, place, kOneByteImmediate);
  if (!changed) return std::nullopt;
  // Of all encodings of a text the parser takes the shortest.
  const auto parsed = Parse(Print(*changed));
  if (!parsed || parsed->size() != 1 || parsed->front().flags.length_changing_prefix)
    return std::nullopt;
  return parsed->front();
}

std::optional<Instruction> Assembler::Reload(const Instruction& store, std::size_t operand) {
  const auto load = llvm_->rules->reload(*llvm_, store, store.operands[operand]);
  return load ? std::optional(Describe(*llvm_, *load)) : std::nullopt;
}

Bytes Assembler::Encode(const Instruction& instruction) {
  return Encode(std::span(&instruction, 1));
}

Bytes Assembler::Encode(std::span<const Instruction> instructions) {
  llvm::SmallVector<char, 1024> encoded;
  for (const Instruction& instruction : instructions) {
    assert(!instruction.RefersToLabel());
    AppendBytes(*llvm_, ToMcInst(instruction), encoded);
  }
  const auto bytes = AsBytes(encoded);
  return {bytes.begin(), bytes.end()};
}

std::string Assembler::Print(const Instruction& instruction) {
  if (instruction.RefersToLabel()) return instruction.text;
  return PrintInst(*llvm_, ToMcInst(instruction));
}

std::vector<std::string> Assembler::Features(const Instruction& instruction) const {
  return FeaturesOf(*llvm_, instruction);
}

std::string Assembler::MachineText(const Instruction& instruction) const {
  std::string text = instruction.opcode;
  for (const Slot& slot : instruction.slots) {
    switch (slot.kind) {
      case Slot::Kind::kRegister:
        text += ' ';
        if (slot.value != 0) text += llvm_->registers->getName(static_cast<unsigned>(slot.value));
        break;
      case Slot::Kind::kImmediate:
        text += fmt::format(" i_0x{:x}", static_cast<std::uint64_t>(slot.value));
        break;
      case Slot::Kind::kSingle:
      case Slot::Kind::kDouble:
        text += fmt::format(" f_0x{:x}", static_cast<std::uint64_t>(slot.value));
        break;
      case Slot::Kind::kLabel:
        text += " i_0x0";
        break;
    }
  }
  return text;
}

std::string Assembler::RegisterName(const Register& reg) const {
  return llvm_->register_table->Name(reg);
}

std::optional<Register> Assembler::FindRegister(std::string_view name) const {
  return llvm_->register_table->Find(name);
}

std::vector<DisassembledLine> Assembler::Disassemble(std::span<const std::uint8_t> bytes) {
  // What is no instruction is skipped by the least that one can be long.
  const std::size_t step = llvm_->rules->least_length;
  std::vector<DisassembledLine> lines;
  for (std::size_t offset = 0; offset < bytes.size();) {
    const auto rest = bytes.subspan(offset);
    const auto first = FirstIn(*llvm_, rest, offset);
    const std::size_t length = std::min(first ? first->size : step, rest.size());
    DisassembledLine line{
        .offset = offset,
        .bytes = {rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(length)},
        .text = {},
        .opcode = {}};
    if (first) {
      line.text = PrintInst(*llvm_, first->inst);
      line.opcode = llvm_->OpcodeName(first->inst.getOpcode());
    }
    lines.push_back(std::move(line));
    offset += length;
  }
  return lines;
}

namespace {

// The operand that says where a branch or a call leads; none where a register or memory does.
std::optional<std::size_t> TargetOperand(const Instruction& branch) {
  if (!branch.flags.branch && !branch.flags.call) return std::nullopt;
  const auto target = std::ranges::find(branch.operands, OperandKind::kLabel, &Operand::kind);
  if (target == branch.operands.end()) return std::nullopt;
  return static_cast<std::size_t>(target - branch.operands.begin());
}

// Distances count in the smallest length that instructions have, on either architecture.
std::optional<std::int64_t> BranchDistance(const Llvm& llvm, const Instruction& branch) {
  const auto target = TargetOperand(branch);
  if (!target) return std::nullopt;
  const Rules& rules = *llvm.rules;
  return (branch.operands[*target].value - rules.next_instruction) *
         static_cast<std::int64_t>(rules.least_length);
}

}  // namespace

Result<Bytes> Assembler::LeadOver(const Instruction& branch, std::int64_t bytes) {
  const auto target = TargetOperand(branch);
  if (!target) return Failed(fmt::format("'{}' does not say where it leads", branch.text));
  const Rules& rules = *llvm_->rules;
  const auto led =
      TRY(SetValue(branch, *target,
                   rules.next_instruction + bytes / static_cast<std::int64_t>(rules.least_length)));
  return Encode(led);
}

std::optional<std::vector<Decoded>> Assembler::Decode(std::span<const std::uint8_t> bytes) {
  std::vector<Decoded> decoded;
  for (std::size_t offset = 0; offset < bytes.size();) {
    const auto rest = bytes.subspan(offset);
    const auto first = FirstIn(*llvm_, rest, offset);
    if (!first || first->size > rest.size()) return std::nullopt;
    Decoded& each = decoded.emplace_back();
    each.offset = offset;
    each.size = first->size;
    each.instruction = Describe(*llvm_, first->inst);
    each.branch_distance = BranchDistance(*llvm_, each.instruction);
    if (const auto inside = DistanceInside(*llvm_, each.instruction, each.size))
      each.distance_at = offset + *inside;
    offset += each.size;
  }
  return decoded;
}

bool Assembler::EndsWithin(std::span<const std::uint8_t> bytes) {
  std::size_t offset = 0;
  while (offset < bytes.size()) {
    const auto first = FirstIn(*llvm_, bytes.subspan(offset), offset);
    if (!first || first->size > bytes.size() - offset) break;
    offset += first->size;
  }
  if (offset == bytes.size()) return false;
  // Whether the decoder goes on to what stands behind them, where something does. It says how far
  // it read of what is no instruction, too.
  constexpr std::size_t kMaxInstructionBytes = 15;
  Bytes longer(bytes.begin() + static_cast<std::ptrdiff_t>(offset), bytes.end());
  const std::size_t given = longer.size();
  longer.resize(given + kMaxInstructionBytes);
  llvm::MCInst inst;
  std::uint64_t read = 0;
  llvm_->disassembler->getInstruction(inst, read, longer, offset, llvm::nulls());
  return read > given;
}

}  // namespace cyclescope::assembler
