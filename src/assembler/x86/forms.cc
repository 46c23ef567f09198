// The operands that a person would write, for the catalogue's forms of x86-64.
#include <llvm/MC/MCInstrDesc.h>

#include <array>

#include "assembler/llvm_target.h"
#include "assembler/x86/x86.h"

namespace cyclescope::assembler::x86 {
namespace {

// By how the manual's name begins; the first that matches counts.
struct Preferred {
  std::string_view name;
  std::array<std::int64_t, 2> values;
};
constexpr auto kPreferred = std::to_array<Preferred>({
    {"enter", {16, 0}},        // bytes, and no outer frames
    {"ret", {16, 0}},          //
    {"extrq", {8, 8}},         // length, place
    {"insertq", {8, 8}},       //
    {"cmpp", {2, 0}},          // less or equal
    {"cmps", {2, 0}},          //
    {"vcmp", {2, 0}},          //
    {"vpcmp", {2, 0}},         //
    {"vpcom", {2, 0}},         //
    {"pextrq", {1, 0}},        // the upper of two
    {"pinsrq", {1, 0}},        //
    {"vpextrq", {1, 0}},       //
    {"vpinsrq", {1, 0}},       //
    {"insertps", {16, 0}},     // element 0 to element 1
    {"vinsertps", {16, 0}},    //
    {"vextractps", {3, 0}},    //
    {"vextract", {1, 0}},      // the upper of two
    {"vinsert", {1, 0}},       //
    {"pextr", {3, 0}},         //
    {"pinsr", {3, 0}},         //
    {"vpextr", {3, 0}},        //
    {"vpinsr", {3, 0}},        //
    {"vperm2", {0x21, 0}},     // the upper half of one, the lower of the other
    {"pclmul", {0x11, 0}},     // both upper halves
    {"vpclmul", {0x11, 0}},    //
    {"vpternlog", {0x96, 0}},  // the exclusive or of three
    {"pshuf", {0x1b, 0}},      // in reverse
    {"vpshufd", {0x1b, 0}},    //
    {"vpshufhw", {0x1b, 0}},   //
    {"vpshuflw", {0x1b, 0}},   //
    {"shufps", {0x1b, 0}},     //
    {"vshufps", {0x1b, 0}},    //
    {"vpermq", {0x1b, 0}},     //
    {"vpermpd", {0x1b, 0}},    //
    {"vpermilps", {0x1b, 0}},  //
    {"round", {3, 0}},         // towards zero
    {"vround", {3, 0}},        //
    {"vrndscale", {3, 0}},     //
    {"vreduce", {3, 0}},       //
    {"dpp", {0x31, 0}},        //
    {"vdpp", {0x31, 0}},       //
});

// 5 fits every field and is inside the width of every shift; the others give opcodes with longer
// fields a text of their own.
constexpr auto kCandidates =
    std::to_array<std::int64_t>({5, 300, 70000, 0x123456789, 3, 2, 4, 8, 16, 7, 15, 17, 127, 1, 0});

// `je`, `sete`, `cmove`.
constexpr std::int64_t kEqual = 4;

bool IsAddress(const Llvm& llvm, const llvm::MCInstrDesc& desc, unsigned slot) {
  const auto operands = desc.operands();
  if (slot + kAddressSlots > operands.size()) return false;
  const llvm::MCOperandInfo& segment = operands[slot + kAddressSlots - 1];
  if (segment.RegClass < 0 || operands[slot].RegClass < 0) return false;
  const std::string_view segment_class = llvm.registers->getRegClassName(
      &llvm.registers->getRegClass(static_cast<unsigned>(segment.RegClass)));
  return segment_class == "SEGMENT_REG" && operands[slot + 1].RegClass < 0 &&
         operands[slot + 3].RegClass < 0;
}

bool IsStringAddress(const llvm::MCOperandInfo& info) {
  return info.OperandType == llvm::MCOI::OPERAND_MEMORY && info.isLookupPtrRegClass();
}

unsigned AddressClass(const Llvm& llvm) {
  for (const llvm::MCRegisterClass& register_class : llvm.registers->regclasses()) {
    if (std::string_view(llvm.registers->getRegClassName(&register_class)) == "GR64_NOSP") {
      return register_class.getID();
    }
  }
  std::unreachable();
}

void AddRegister(llvm::MCRegister reg, llvm::MCInst& inst) {
  inst.addOperand(llvm::MCOperand::createReg(reg.id()));
}

}  // namespace

std::vector<Immediates> ImmediatesFor(const Llvm& llvm, unsigned opcode, std::size_t count) {
  const llvm::MCInstrDesc& desc = llvm.instructions->get(opcode);
  const std::string name = llvm.ManualName(opcode);
  std::vector<Immediates> sets;
  const auto preferred = std::ranges::find_if(
      kPreferred, [&name](const Preferred& each) { return name.starts_with(each.name); });
  // Rounding to nearest is the usual one; so are conditions that one flag decides.
  const auto of_kind = [&desc](int kind) {
    return std::ranges::any_of(desc.operands(), [kind](const llvm::MCOperandInfo& info) {
      return info.OperandType == kind;
    });
  };
  if (of_kind(kConditionCode)) sets.push_back({kEqual, kEqual});
  const bool rounds = of_kind(kRoundingControl);
  if (preferred != kPreferred.end()) {
    sets.push_back({preferred->values[0], rounds ? 0 : preferred->values[1]});
  }
  if (rounds) {
    if (count > 1) sets.push_back({kCandidates.front(), 0});
    sets.push_back({0});
  }
  for (const std::int64_t value : kCandidates) sets.push_back({value});
  if (count == 1) return sets;
  for (const std::int64_t first : kCandidates) {
    for (const std::int64_t second : kCandidates) sets.push_back({first, second});
  }
  return sets;
}

unsigned AddAddress(const Llvm& llvm, unsigned opcode, unsigned slot, unsigned variant,
                    PickRegister pick, llvm::MCInst& inst) {
  const llvm::MCInstrDesc& desc = llvm.instructions->get(opcode);
  const llvm::MCOperandInfo& info = desc.operands()[slot];
  if (IsAddress(llvm, desc, slot)) {
    const llvm::MCOperandInfo& index = desc.operands()[slot + 2];
    const bool vectors = index.RegClass >= 0 && !index.isLookupPtrRegClass() &&
                         info.OperandType == llvm::MCOI::OPERAND_MEMORY;
    // Rows of a tile are the index apart.
    const bool rows = llvm.OpcodeName(opcode).starts_with("TILE");
    AddRegister(pick(AddressClass(llvm)), inst);
    inst.addOperand(llvm::MCOperand::createImm(1));
    AddRegister(vectors ? pick(static_cast<unsigned>(index.RegClass))
                : rows  ? pick(AddressClass(llvm))
                        : llvm::MCRegister(),
                inst);
    inst.addOperand(llvm::MCOperand::createImm(0));
    AddRegister({}, inst);
    return kAddressSlots;
  }
  if (info.OperandType != llvm::MCOI::OPERAND_MEMORY || info.RegClass < 0) return 0;
  if (!IsStringAddress(info)) {
    AddRegister({}, inst);  // the segment
    return 1;
  }
  constexpr std::array<Register, 2> kStringAddresses = {Register{RegisterFile::kGeneral, 6, 64},
                                                        Register{RegisterFile::kGeneral, 7, 64}};
  const auto before = static_cast<unsigned>(
      std::ranges::count_if(desc.operands().take_front(slot), IsStringAddress));
  AddRegister(llvm.register_table->Find(kStringAddresses[(before + variant) % 2]), inst);
  return 1;
}

bool HasVariants(const Llvm& llvm, unsigned opcode) {
  return std::ranges::any_of(llvm.instructions->get(opcode).operands(), IsStringAddress);
}

}  // namespace cyclescope::assembler::x86
