// Loads that read back what an AArch64 store has just written.
#include <array>

#include "assembler/aarch64/aarch64.h"
#include "assembler/llvm_target.h"

namespace cyclescope::assembler::aarch64 {
namespace {

using enum RegisterFile;

struct Load {
  RegisterFile file;
  int bits;
  std::string_view scaled;    // base and a multiple of the width
  std::string_view unscaled;  // base and -256 to 255 bytes
};
constexpr auto kLoads = std::to_array<Load>({
    {kGeneral, 8, "LDRBBui", "LDURBBi"},
    {kGeneral, 16, "LDRHHui", "LDURHHi"},
    {kGeneral, 32, "LDRWui", "LDURWi"},
    {kGeneral, 64, "LDRXui", "LDURXi"},
    {kVector, 8, "LDRBui", "LDURBi"},
    {kVector, 16, "LDRHui", "LDURHi"},
    {kVector, 32, "LDRSui", "LDURSi"},
    {kVector, 64, "LDRDui", "LDURDi"},
    {kVector, 128, "LDRQui", "LDURQi"},
});

constexpr auto kScaledPairs = std::to_array<std::string_view>({"STP", "STNP"});
constexpr auto kRegisterOffsets = std::to_array<std::string_view>({"roX", "roW"});

const Operand* FindPart(const Instruction& store, AddressPart part) {
  const auto found = std::ranges::find(store.operands, part, &Operand::address);
  return found == store.operands.end() ? nullptr : &*found;
}

bool IsStored(const Operand& operand) {
  return operand.kind == OperandKind::kRegister && !operand.implicit && operand.read &&
         operand.address == AddressPart::kNone;
}

// Where the operand's value lies, in bytes from what the base holds after the store.
std::optional<std::int64_t> Displacement(const Instruction& store, const Operand& operand) {
  const std::int64_t width = StoredBits(store, operand) / 8;
  const bool scaled = store.opcode.ends_with("ui") || BeginsWithAny(store.opcode, kScaledPairs);
  const std::int64_t unit = scaled ? width : 1;
  std::int64_t bytes = 0;
  std::int64_t all = 0;  // what the store writes
  for (const Operand& each : store.operands) {
    if (!IsStored(each)) continue;
    if (each.slot < operand.slot) bytes += width;
    all += StoredBits(store, each) / 8 * each.count;
  }
  if (const Operand* increment = FindPart(store, AddressPart::kIncrement)) {
    // A register holds 0 in our kernels; the zero register stands for the size of the access.
    const bool by_size = increment->reg.file == kZero;
    return bytes - (by_size ? all : increment->value * unit);
  }
  const Operand* displacement = FindPart(store, AddressPart::kDisplacement);
  const bool base_moved = FindPart(store, AddressPart::kBase)->written;
  if (displacement == nullptr || base_moved) return bytes;
  return bytes + displacement->value * unit;
}

void AddRegister(unsigned reg, llvm::MCInst& inst) {
  inst.addOperand(llvm::MCOperand::createReg(reg));
}

unsigned RegisterZero(const Llvm& llvm, unsigned opcode) {
  const int register_class = llvm.instructions->get(opcode).operands()[0].RegClass;
  return llvm.register_table->Choices(static_cast<unsigned>(register_class)).by_index[0].id();
}

// `str x0, [x1, x2]` is read back by the load with the same slots; so is a lane.
std::optional<llvm::MCInst> SameSlots(const Llvm& llvm, const Instruction& store, bool lane) {
  const auto opcode = llvm.FindOpcode("LD" + store.opcode.substr(2));
  if (!opcode) return std::nullopt;
  llvm::MCInst inst;
  inst.setOpcode(*opcode);
  AddRegister(RegisterZero(llvm, *opcode), inst);
  if (lane) AddRegister(RegisterZero(llvm, *opcode), inst);  // whose other lanes stay
  for (std::size_t slot = 1; slot < store.slots.size(); ++slot) {
    const Slot& part = store.slots[slot];
    inst.addOperand(part.kind == Slot::Kind::kRegister
                        ? llvm::MCOperand::createReg(static_cast<unsigned>(part.value))
                        : llvm::MCOperand::createImm(part.value));
  }
  return inst;
}

}  // namespace

std::optional<llvm::MCInst> Reload(const Llvm& llvm, const Instruction& store,
                                   const Operand& operand) {
  const Operand* base = FindPart(store, AddressPart::kBase);
  if (base == nullptr || base->reg.file != kGeneral) return std::nullopt;
  constexpr auto kLanes = std::to_array<std::string_view>({"ST1i8", "ST1i16", "ST1i32", "ST1i64"});
  if (std::ranges::find(kLanes, store.opcode) != kLanes.end()) return SameSlots(llvm, store, true);
  if (FindPart(store, AddressPart::kIndex) != nullptr) {
    if (!EndsWithAny(store.opcode, kRegisterOffsets)) return std::nullopt;
    return SameSlots(llvm, store, false);
  }
  const auto bytes = Displacement(store, operand);
  const int bits = StoredBits(store, operand);
  const auto load = std::ranges::find_if(kLoads, [&operand, bits](const Load& each) {
    return each.file == operand.reg.file && each.bits == bits;
  });
  if (!bytes || load == kLoads.end()) return std::nullopt;
  const std::int64_t width = bits / 8;
  constexpr std::int64_t kMostScaled = 4095, kLeastUnscaled = -256, kMostUnscaled = 255;
  const bool scaled = *bytes >= 0 && *bytes % width == 0 && *bytes / width <= kMostScaled;
  if (!scaled && (*bytes < kLeastUnscaled || *bytes > kMostUnscaled)) return std::nullopt;
  const auto opcode = llvm.FindOpcode(scaled ? load->scaled : load->unscaled);
  if (!opcode) return std::nullopt;
  llvm::MCInst inst;
  inst.setOpcode(*opcode);
  AddRegister(RegisterZero(llvm, *opcode), inst);
  AddRegister(static_cast<unsigned>(store.slots[static_cast<std::size_t>(base->slot)].value), inst);
  inst.addOperand(llvm::MCOperand::createImm(scaled ? *bytes / width : *bytes));
  return inst;
}

}  // namespace cyclescope::assembler::aarch64
