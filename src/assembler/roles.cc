#include "assembler/roles.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/MC/MCExpr.h>
#include <llvm/MC/MCFixup.h>
#include <llvm/MC/MCInstrDesc.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace cyclescope::assembler {
namespace {

Slot ToSlot(const llvm::MCOperand& operand) {
  if (operand.isReg()) return {Slot::Kind::kRegister, operand.getReg()};
  if (operand.isImm()) return {Slot::Kind::kImmediate, operand.getImm()};
  if (operand.isSFPImm()) return {Slot::Kind::kSingle, operand.getSFPImm()};
  if (operand.isDFPImm()) {
    return {Slot::Kind::kDouble, static_cast<std::int64_t>(operand.getDFPImm())};
  }
  std::int64_t constant = 0;
  if (operand.isExpr() && operand.getExpr()->evaluateAsAbsolute(constant)) {
    return {Slot::Kind::kImmediate, constant};
  }
  return {Slot::Kind::kLabel, 0};
}

// The slot that a tied use shares its register with; kNoSlot where it is not tied.
std::int8_t TiedDefinition(const llvm::MCInstrDesc& desc, unsigned slot) {
  return static_cast<std::int8_t>(desc.getOperandConstraint(slot, llvm::MCOI::TIED_TO));
}

bool HasTiedUse(const llvm::MCInstrDesc& desc, unsigned definition) {
  for (unsigned slot = desc.getNumDefs(); slot < desc.getNumOperands(); ++slot) {
    if (TiedDefinition(desc, slot) == static_cast<int>(definition)) return true;
  }
  return false;
}

Operand RegisterOperand(const Llvm& llvm, const llvm::MCInstrDesc& desc, unsigned slot,
                        llvm::MCRegister reg) {
  const RegisterDescription& described = llvm.register_table->Describe(reg);
  Operand operand{.kind = OperandKind::kRegister,
                  .name = {},
                  .reg = described.first,
                  .count = described.count,
                  .stride = described.stride,
                  .slot = static_cast<std::int8_t>(slot)};
  const int register_class = desc.operands()[slot].RegClass;
  const bool can_change = register_class >= 0 && described.first.file != RegisterFile::kZero;
  if (can_change) {
    operand.allowed = llvm.register_table->Choices(static_cast<unsigned>(register_class)).mask;
  }
  return operand;
}

// Explicit operands: a definition that a use is tied to comes with that use, as one operand that is
// read and written.
void AddExplicitOperands(const Llvm& llvm, const llvm::MCInstrDesc& desc, const llvm::MCInst& inst,
                         Instruction& instruction) {
  for (unsigned slot = 0; slot < std::min(inst.getNumOperands(), unsigned{desc.getNumOperands()});
       ++slot) {
    const bool definition = slot < desc.getNumDefs();
    if (definition && HasTiedUse(desc, slot)) continue;
    Operand operand;
    switch (instruction.slots[slot].kind) {
      case Slot::Kind::kRegister: {
        const llvm::MCRegister reg = inst.getOperand(slot).getReg();
        if (!reg.isValid()) continue;  // an address without index or segment
        operand = RegisterOperand(llvm, desc, slot, reg);
        operand.read = !definition;
        operand.written = definition;
        const std::int8_t tied = TiedDefinition(desc, slot);
        if (tied != kNoSlot) {
          operand.tied_slot = operand.slot;
          operand.slot = tied;
          operand.written = true;
        }
        break;
      }
      case Slot::Kind::kLabel:
        operand.kind = OperandKind::kLabel;
        break;
      default:
        operand.kind = desc.operands()[slot].OperandType == llvm::MCOI::OPERAND_PCREL
                           ? OperandKind::kLabel
                           : OperandKind::kImmediate;
        operand.value = instruction.slots[slot].value;
        break;
    }
    if (operand.slot == kNoSlot) operand.slot = static_cast<std::int8_t>(slot);
    instruction.operands.push_back(std::move(operand));
  }
}

void AddImplicit(const Llvm& llvm, llvm::MCRegister reg, bool written, Instruction& instruction) {
  const RegisterDescription& described = llvm.register_table->Describe(reg);
  if (described.first.file == RegisterFile::kNone) return;
  const auto same = std::ranges::find_if(instruction.operands, [&](const Operand& operand) {
    return operand.implicit && operand.reg.Overlaps(described.first);
  });
  if (same != instruction.operands.end()) {
    (written ? same->written : same->read) = true;
    if (same->reg.bits >= described.first.bits) return;
    same->reg = described.first;
    same->name = llvm.register_table->Name(reg);
    return;
  }
  instruction.operands.push_back({.kind = OperandKind::kRegister,
                                  .name = llvm.register_table->Name(reg),
                                  .read = !written,
                                  .written = written,
                                  .implicit = true,
                                  .reg = described.first});
}

void SetFlags(const llvm::MCInstrDesc& desc, InstructionFlags& flags) {
  flags.branch = desc.isBranch();
  flags.indirect = desc.isIndirectBranch();
  flags.call = desc.isCall();
  flags.returns = desc.isReturn();
  flags.never_falls_through = desc.isBarrier();
  flags.may_load = desc.mayLoad();
  flags.may_store = desc.mayStore();
  flags.plain_load = desc.canFoldAsLoad();
}

// One operand for each place; what is known of the places that are read holds for all.
void AddMemory(const Llvm& llvm, const llvm::MCInst& inst, Instruction& instruction) {
  const InstructionFlags& flags = instruction.flags;
  if (flags.prefetch || (!flags.may_load && !flags.may_store)) return;
  const MemoryAccess access = llvm.rules->memory_access(llvm, inst, instruction);
  Operand memory{.kind = OperandKind::kMemory,
                 .name = "memory",
                 .read = flags.may_load,
                 .written = flags.may_store,
                 .implicit = true,
                 .memory_bits = access.bits,
                 .times = access.times,
                 .element = access.element,
                 .factor = access.factor};
  if (!access.places_differ) {
    instruction.operands.push_back(std::move(memory));
    return;
  }
  memory.written = false;
  instruction.operands.push_back(memory);
  memory.read = false;
  memory.written = true;
  instruction.operands.push_back(std::move(memory));
}

std::string NameOf(const Llvm& llvm, const Instruction& instruction, const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::kRegister: {
      const auto slot = static_cast<std::size_t>(operand.slot);
      const llvm::MCRegister reg(static_cast<unsigned>(instruction.slots[slot].value));
      return llvm.rules->operand_name(instruction, operand, llvm.register_table->Name(reg));
    }
    case OperandKind::kLabel:
      return "label";
    case OperandKind::kCondition:
      return "condition";
    case OperandKind::kMemory:
      return "memory";
    case OperandKind::kImmediate:
    case OperandKind::kModifier:
      return std::to_string(operand.value);
  }
  return {};
}

// Bytes of the distance that a fixup is for; 0 where it is for something else.
std::size_t DistanceSize(const llvm::MCFixup& fixup) {
  switch (static_cast<unsigned>(fixup.getKind())) {
    case llvm::FK_PCRel_1:
      return 1;
    case llvm::FK_PCRel_2:
      return 2;
    case llvm::FK_PCRel_4:
      return 4;
    default:
      return 0;
  }
}

}  // namespace

std::string PrintInst(const Llvm& llvm, const llvm::MCInst& inst) {
  llvm::SmallString<128> printed;
  llvm::raw_svector_ostream stream(printed);
  llvm.printer->printInst(&inst, 0, "", *llvm.subtarget, stream);
  std::string text;
  text.reserve(printed.size());
  for (const char c : printed) {
    const bool blank = c == '\t' || c == ' ' || c == '\n';
    if (!blank) {
      text.push_back(c);
    } else if (!text.empty() && text.back() != ' ') {
      text.push_back(' ');
    }
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

std::string_view MnemonicOf(const Llvm& llvm, std::string_view text) {
  while (true) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (word.size() == text.size()) return word;
    const bool prefix = std::ranges::find(llvm.rules->prefixes, word) != llvm.rules->prefixes.end();
    if (!prefix) return word;
    text.remove_prefix(word.size() + 1);
  }
}

void NameOperands(const Llvm& llvm, Instruction& instruction) {
  auto& operands = instruction.operands;
  for (Operand& operand : operands) {
    if (!operand.implicit) operand.name = NameOf(llvm, instruction, operand);
  }
  for (Operand& operand : operands) {
    if (operand.kind != OperandKind::kRegister || operand.address == AddressPart::kNone) continue;
    const auto is_also = [&](AddressPart part) {
      return std::ranges::any_of(operands, [&](const Operand& other) {
        return other.kind == OperandKind::kRegister && other.address == part && other.read &&
               other.reg.Overlaps(operand.reg);
      });
    };
    // One register in two roles has two names.
    if (operand.address == AddressPart::kIndex && is_also(AddressPart::kBase))
      operand.name = "index " + operand.name;
    if (is_also(AddressPart::kNone)) operand.name = "[" + operand.name + "]";
  }
}

void AppendBytes(const Llvm& llvm, const llvm::MCInst& inst, llvm::SmallVectorImpl<char>& bytes) {
  llvm::SmallVector<llvm::MCFixup, 4> fixups;
  const std::size_t begin = bytes.size();
  llvm.emitter->encodeInstruction(inst, bytes, fixups, *llvm.subtarget);
  // The distance of a branch on x86-64 is left open, even where it is a number.
  for (const llvm::MCFixup& fixup : fixups) {
    const std::size_t size = DistanceSize(fixup);
    std::int64_t distance = 0;
    if (size == 0 || !fixup.getValue()->evaluateAsAbsolute(distance)) continue;
    distance += static_cast<std::int64_t>(size);  // LLVM counts from where the distance stands
    for (std::size_t i = 0; i < size; ++i)
      bytes[begin + fixup.getOffset() + i] = static_cast<char>(distance >> (8 * i));
  }
}

llvm::MCInst ToMcInst(const Instruction& instruction) {
  llvm::MCInst inst;
  inst.setOpcode(instruction.opcode_number);
  inst.setFlags(instruction.encoding_flags);
  for (const Slot& slot : instruction.slots) {
    switch (slot.kind) {
      case Slot::Kind::kRegister:
        inst.addOperand(llvm::MCOperand::createReg(static_cast<unsigned>(slot.value)));
        break;
      case Slot::Kind::kSingle:
        inst.addOperand(llvm::MCOperand::createSFPImm(static_cast<std::uint32_t>(slot.value)));
        break;
      case Slot::Kind::kDouble:
        inst.addOperand(llvm::MCOperand::createDFPImm(static_cast<std::uint64_t>(slot.value)));
        break;
      case Slot::Kind::kImmediate:
      case Slot::Kind::kLabel:
        inst.addOperand(llvm::MCOperand::createImm(slot.value));
        break;
    }
  }
  return inst;
}

Instruction Describe(const Llvm& llvm, const llvm::MCInst& inst) {
  const llvm::MCInstrDesc& desc = llvm.instructions->get(inst.getOpcode());
  Instruction instruction{.opcode = std::string(llvm.OpcodeName(inst.getOpcode())),
                          .mnemonic = {},
                          .text = PrintInst(llvm, inst),
                          .flags = {},
                          .operands = {},
                          .opcode_number = inst.getOpcode(),
                          .encoding_flags = inst.getFlags(),
                          .slots = {}};
  instruction.mnemonic = MnemonicOf(llvm, instruction.text);
  instruction.name = llvm.ManualName(inst.getOpcode());
  instruction.slots.reserve(inst.getNumOperands());
  for (const llvm::MCOperand& operand : inst) instruction.slots.push_back(ToSlot(operand));

  AddExplicitOperands(llvm, desc, inst, instruction);
  for (const llvm::MCPhysReg reg : desc.implicit_uses()) AddImplicit(llvm, reg, false, instruction);
  for (const llvm::MCPhysReg reg : desc.implicit_defs()) AddImplicit(llvm, reg, true, instruction);
  SetFlags(desc, instruction.flags);
  llvm.rules->refine(llvm, inst, instruction);
  AddMemory(llvm, inst, instruction);
  llvm.rules->scale_address(instruction);
  instruction.element_bits = llvm.rules->element_bits(instruction);
  instruction.value_sets = llvm.rules->value_sets(instruction);
  NameOperands(llvm, instruction);
  for (Operand& operand : instruction.operands) {
    operand.stack_pointer = operand.kind == OperandKind::kRegister && operand.allowed == 0 &&
                            llvm.register_table->IsStackPointer(operand.reg);
  }

  if (instruction.RefersToLabel()) {
    if (instruction.refusal.empty()) {
      instruction.refusal = "it refers to a label: measure it in a snippet with 'cyclescope block'";
    }
    return instruction;
  }
  llvm::SmallVector<char, 16> bytes;
  AppendBytes(llvm, ToMcInst(instruction), bytes);
  instruction.length = static_cast<std::uint8_t>(bytes.size());
  return instruction;
}

bool Instruction::RefersToLabel() const {
  return std::ranges::any_of(slots,
                             [](const Slot& slot) { return slot.kind == Slot::Kind::kLabel; });
}

}  // namespace cyclescope::assembler
