// Loads that read back what an x86-64 store has just written.
#include <llvm/MC/MCInstrDesc.h>

#include <array>

#include "assembler/llvm_target.h"
#include "assembler/x86/x86.h"

namespace cyclescope::assembler::x86 {
namespace {

using enum RegisterFile;

// By what they read. Vectors have two: legacy code wants a legacy load, and VEX code one of its own
// kind.
struct Load {
  RegisterFile file;
  int bits;
  std::string_view opcode;
  std::string_view vex_opcode = opcode;
};
constexpr auto kLoads = std::to_array<Load>({
    {kGeneral, 8, "MOVZX32rm8"},
    {kGeneral, 16, "MOVZX32rm16"},
    {kGeneral, 32, "MOV32rm"},
    {kGeneral, 64, "MOV64rm"},
    {kMmx, 64, "MMX_MOVQ64rm"},
    {kVector, 32, "MOVDI2PDIrm", "VMOVDI2PDIrm"},
    {kVector, 64, "MOVQI2PQIrm", "VMOVQI2PQIrm"},
    {kVector, 128, "MOVDQUrm", "VMOVDQUrm"},
    {kVector, 256, "VMOVDQUYrm"},
    {kVector, 512, "VMOVDQU64Zrm"},
    {kMask, 8, "KMOVBkm"},
    {kMask, 16, "KMOVWkm"},
    {kMask, 32, "KMOVDkm"},
    {kMask, 64, "KMOVQkm"},
    {kTile, 0, "TILELOADD"},
});

// The opcode with register 0 of its class as the destination.
std::optional<llvm::MCInst> Start(const Llvm& llvm, std::string_view opcode) {
  const auto number = llvm.FindOpcode(opcode);
  if (!number) return std::nullopt;
  const int register_class = llvm.instructions->get(*number).operands()[0].RegClass;
  llvm::MCInst inst;
  inst.setOpcode(*number);
  inst.addOperand(llvm::MCOperand::createReg(
      llvm.register_table->Choices(static_cast<unsigned>(register_class)).by_index[0].id()));
  return inst;
}

}  // namespace

std::optional<llvm::MCInst> Reload(const Llvm& llvm, const Instruction& store,
                                   const Operand& operand) {
  const llvm::MCInstrDesc& desc = llvm.instructions->get(store.opcode_number);
  const auto first = AddressSlot(desc, store.opcode);
  if (!first) {
    const bool pushes = store.name == "push" && operand.reg.file == kGeneral;
    if (!pushes) return std::nullopt;
    return Start(llvm, operand.reg.bits == 16 ? "POP16r" : "POP64r");
  }
  const auto memory = std::ranges::find_if(store.operands, [](const Operand& each) {
    return each.kind == OperandKind::kMemory && each.written;
  });
  if (memory == store.operands.end()) return std::nullopt;
  const bool vex = store.opcode.starts_with('V');
  for (const Load& load : kLoads) {
    if (load.file != operand.reg.file || load.bits != memory->memory_bits) continue;
    auto inst = Start(llvm, vex ? load.vex_opcode : load.opcode);
    for (std::size_t slot = *first; inst && slot < *first + kAddressSlots; ++slot) {
      const Slot& part = store.slots[slot];
      inst->addOperand(part.kind == Slot::Kind::kRegister
                           ? llvm::MCOperand::createReg(static_cast<unsigned>(part.value))
                           : llvm::MCOperand::createImm(part.value));
    }
    return inst;
  }
  return std::nullopt;
}

}  // namespace cyclescope::assembler::x86
