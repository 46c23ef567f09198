// Addresses of x86-64's operands: base, scale, index, displacement, segment.
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrDesc.h>

#include <algorithm>
#include <array>

#include "assembler/llvm_target.h"
#include "assembler/x86/x86.h"

namespace cyclescope::assembler::x86 {
namespace {

using enum RegisterFile;

bool IsLea(std::string_view opcode) { return opcode.starts_with("LEA") && opcode != "LEAVE64"; }

// The five slots of an address, in LLVM's order.
constexpr std::array<AddressPart, kAddressSlots> kAddressParts = {
    AddressPart::kBase, AddressPart::kScale, AddressPart::kIndex, AddressPart::kDisplacement,
    AddressPart::kSegment};

bool IsMemorySlot(const llvm::MCInstrDesc& desc, std::size_t slot) {
  return slot < desc.getNumOperands() &&
         desc.operands()[slot].OperandType == llvm::MCOI::OPERAND_MEMORY;
}

std::size_t FirstMemorySlot(const llvm::MCInstrDesc& desc) {
  std::size_t slot = 0;
  while (slot < desc.getNumOperands() && !IsMemorySlot(desc, slot)) ++slot;
  return slot;
}

std::uint32_t AllowedInAddress(const Llvm& llvm, const Operand& operand) {
  if (operand.reg.file == kSystem) return 0;  // relative to the instruction pointer
  if (operand.reg.file != kGeneral) return operand.allowed;
  const llvm::MCRegisterInfo& registers = *llvm.registers;
  const std::string_view wanted = operand.reg.bits == 32 ? "GR32_NOSP" : "GR64_NOSP";
  for (const llvm::MCRegisterClass& register_class : registers.regclasses()) {
    if (wanted == registers.getRegClassName(&register_class)) {
      return llvm.register_table->Choices(register_class.getID()).mask;
    }
  }
  return 0;
}

}  // namespace

bool FindAddress(const Llvm& llvm, const llvm::MCInstrDesc& desc, Instruction& instruction) {
  const auto whole = AddressSlot(desc, instruction.opcode);
  const std::size_t first = whole.value_or(FirstMemorySlot(desc));
  if (first == desc.getNumOperands()) return false;
  for (Operand& operand : instruction.operands) {
    if (operand.implicit || operand.slot < static_cast<int>(first)) continue;
    const std::size_t part = static_cast<std::size_t>(operand.slot) - first;
    if (whole && part < kAddressParts.size()) {
      operand.address = kAddressParts[part];
      if (operand.address == AddressPart::kScale) operand.kind = OperandKind::kModifier;
      if (operand.kind == OperandKind::kRegister && operand.address != AddressPart::kSegment) {
        operand.allowed = AllowedInAddress(llvm, operand);
      }
    } else if (!whole && IsMemorySlot(desc, static_cast<std::size_t>(operand.slot))) {
      // String instructions: fixed registers; and absolute addresses, which are plain numbers.
      const bool segment = operand.reg.file == kSystem;
      operand.address = operand.kind != OperandKind::kRegister ? AddressPart::kDisplacement
                        : segment                              ? AddressPart::kSegment
                                                               : AddressPart::kBase;
      operand.allowed = 0;
    }
    if (operand.address == AddressPart::kSegment) operand.allowed = 0;
  }
  return true;
}

void FindSecondAddress(Instruction& instruction) {
  constexpr auto kOpcodes = std::to_array<std::string_view>({"MOVDIR64B", "ENQCMD"});
  if (!BeginsWithAny(instruction.opcode, kOpcodes)) return;
  instruction.operands.front().address = AddressPart::kBase;
  instruction.flags.may_load = instruction.flags.may_store = true;
}

void JoinStringRegisters(Instruction& instruction) {
  auto& operands = instruction.operands;
  for (Operand& base : operands) {
    // Only they have an address in a register that cannot be chosen; rax of `mul [rax]` can.
    if (base.implicit || base.address != AddressPart::kBase || base.allowed != 0) continue;
    for (Operand& stepped : operands) {
      if (!stepped.implicit || !stepped.reg.Overlaps(base.reg) || !stepped.written) continue;
      base.written = true;
      stepped.reg.file = kNone;
    }
  }
  std::erase_if(operands, [](const Operand& operand) {
    return operand.kind == OperandKind::kRegister && operand.reg.file == kNone;
  });
}

void ScaleAddress(Instruction& instruction) {
  std::int64_t scale = 1;
  for (const Operand& operand : instruction.operands) {
    if (operand.address == AddressPart::kScale) scale = operand.value;
  }
  for (Operand& operand : instruction.operands) {
    if (operand.address == AddressPart::kDisplacement) operand.bytes = operand.value;
    if (operand.address == AddressPart::kIndex) operand.multiplier = scale;
  }
}

std::optional<std::size_t> AddressSlot(const llvm::MCInstrDesc& desc, std::string_view opcode) {
  if (IsLea(opcode)) return 1;
  const std::size_t first = FirstMemorySlot(desc);
  if (!IsMemorySlot(desc, first + kAddressSlots - 1)) return std::nullopt;
  return first;
}

}  // namespace cyclescope::assembler::x86
