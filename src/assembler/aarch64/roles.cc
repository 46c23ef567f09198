// What AArch64's instructions do with their operands, where LLVM's tables say nothing. Names of
// opcodes are LLVM's; what must differ or faults is from the Arm Architecture Reference Manual (DDI
// 0487), each instruction's own "constrained unpredictable" paragraph.
#include <llvm/MC/MCInst.h>

#include <algorithm>
#include <array>

#include "assembler/aarch64/aarch64.h"
#include "assembler/llvm_target.h"

namespace cyclescope::assembler::aarch64 {
namespace {

using enum RegisterFile;

// What an opcode is, by how its name begins. No two of LLVM's names confuse these.
struct Family {
  std::string_view prefix;
  bool InstructionFlags::* flag;
};

constexpr auto kFamilies = std::to_array<Family>({
    {"PRF", &InstructionFlags::prefetch},
    {"RPRF", &InstructionFlags::prefetch},
    {"LD64B", &InstructionFlags::may_load},
    {"ST64B", &InstructionFlags::may_store},
    {"SVC", &InstructionFlags::traps},
    {"BRK", &InstructionFlags::traps},
    {"UDF", &InstructionFlags::traps},
    {"HLT", &InstructionFlags::traps},
    {"HVC", &InstructionFlags::privileged},
    {"SMC", &InstructionFlags::privileged},
    {"ERET", &InstructionFlags::privileged},
    {"DRPS", &InstructionFlags::privileged},
    {"DCPS", &InstructionFlags::privileged},
    {"LDGM", &InstructionFlags::privileged},
    {"STGM", &InstructionFlags::privileged},
    {"STZGM", &InstructionFlags::privileged},
    {"LDAPURS", &InstructionFlags::may_load},
});

// LLVM says of exclusive accesses that they both load and store, so that none moves.
constexpr auto kExclusiveLoads = std::to_array<std::string_view>({"LDX", "LDAX"});
constexpr auto kExclusiveStores = std::to_array<std::string_view>({"STX", "STLX"});

constexpr auto kConditionLast = std::to_array<std::string_view>(
    {"CSEL", "CSINC", "CSINV", "CSNEG", "FCSEL", "CCMP", "CCMN", "FCCMP"});
constexpr auto kConditionFirst = std::to_array<std::string_view>({"Bcc", "BCcc"});

// Opcodes whose last immediate says how another operand is shifted or extended.
constexpr auto kModifierPrefixes = std::to_array<std::string_view>({"MOVZ", "MOVK", "MOVN"});
constexpr auto kModifierSuffixes =
    std::to_array<std::string_view>({"Wrs", "Xrs", "Wrx", "Xrx", "Xrx64", "Wri", "Xri"});
constexpr auto kShiftedImmediates = std::to_array<std::string_view>({"ADD", "SUB"});

constexpr auto kMemoryFills = std::to_array<std::string_view>({"SETP", "SETM", "SETE", "SETG"});

// Vector instructions with an immediate and its shift: `movi v0.4h, #1, lsl #8`.
constexpr auto kShiftedVectorImmediates =
    std::to_array<std::string_view>({"BICv", "ORRv", "MOVIv", "MVNIv"});

Operand* LastImmediate(Instruction& instruction) {
  Operand* last = nullptr;
  for (Operand& operand : instruction.operands) {
    if (operand.kind == OperandKind::kImmediate) last = &operand;
  }
  return last;
}

void FindConditionsAndModifiers(Instruction& instruction) {
  const std::string_view name = instruction.opcode;
  if (BeginsWithAny(name, kConditionFirst)) {
    instruction.operands.front().kind = OperandKind::kCondition;
    return;
  }
  Operand* last = LastImmediate(instruction);
  if (last == nullptr) return;
  if (BeginsWithAny(name, kConditionLast)) {
    last->kind = OperandKind::kCondition;
    return;
  }
  const bool immediate_form = name.ends_with("Wri") || name.ends_with("Xri");
  const auto immediates =
      std::ranges::count(instruction.operands, OperandKind::kImmediate, &Operand::kind);
  const bool modified = BeginsWithAny(name, kModifierPrefixes) ||
                        (immediates == 2 && BeginsWithAny(name, kShiftedVectorImmediates)) ||
                        (EndsWithAny(name, kModifierSuffixes) &&
                         (!immediate_form || BeginsWithAny(name, kShiftedImmediates)));
  if (modified) last->kind = OperandKind::kModifier;
}

// Of "b.eq", "b.ne", "cbz" and "cbnz".
std::optional<bool> JumpsIfEqual(const Instruction& branch) {
  constexpr std::int64_t kEqual = 0, kNotEqual = 1;
  if (branch.opcode.starts_with("CBZ")) return true;
  if (branch.opcode.starts_with("CBNZ")) return false;
  if (!BeginsWithAny(branch.opcode, kConditionFirst)) return std::nullopt;
  const std::int64_t condition = branch.operands.front().value;
  return condition == kEqual || condition == kNotEqual ? std::optional(condition == kEqual)
                                                       : std::nullopt;
}

// The operand whose register class has the stack pointer is the base of an access; the last such
// one, as the tag stores (`stg sp, [x1]`) have two. A gather or scatter may have vectors as base.
std::size_t FindBase(const Llvm& llvm, const llvm::MCInst& inst, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const auto& desc = llvm.instructions->get(inst.getOpcode());
  const auto holds_sp = [&](const Operand& operand) {
    const std::int8_t slot = operand.tied_slot != kNoSlot ? operand.tied_slot : operand.slot;
    const int register_class = desc.operands()[slot].RegClass;
    return register_class >= 0 &&
           llvm.register_table->HoldsStackPointer(static_cast<unsigned>(register_class));
  };
  for (std::size_t i = operands.size(); i-- > 0;) {
    const Operand& operand = operands[i];
    if (operand.kind == OperandKind::kRegister && !operand.implicit && operand.read &&
        holds_sp(operand)) {
      return i;
    }
  }
  const bool scalable = std::ranges::any_of(
      operands, [](const Operand& operand) { return operand.reg.file == kMask; });
  for (std::size_t i = operands.size(); scalable && i-- > 0;) {
    if (operands[i].reg.file == kVector && operands[i].read) return i;
  }
  return operands.size();
}

// FEAT_MOPS: copies and fills. SVE has a CPY of another kind.
bool IsMemoryMove(const Instruction& instruction) {
  return instruction.opcode.starts_with("CPY") ? instruction.flags.may_store
                                               : BeginsWithAny(instruction.opcode, kMemoryFills);
}

// The immediates in the order of their slots.
std::vector<std::int64_t> ImmediatesOf(const Instruction& instruction) {
  std::vector<std::int64_t> values;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind == OperandKind::kImmediate) values.push_back(operand.value);
  }
  return values;
}

// Cache maintenance by address, of which LLVM sees a number in a register: op1, CRn, CRm, op2 of
// SYS (DDI 0487, C5.3). CRm 4 fills, as `dc zva` does.
enum class CacheOperation { kNone, kFills, kMaintains };

CacheOperation CacheOperationOf(const Instruction& instruction) {
  if (instruction.opcode != "SYSxt") return CacheOperation::kNone;
  const std::vector<std::int64_t> fields = ImmediatesOf(instruction);
  constexpr std::int64_t kCacheCrn = 7, kFillCrm = 4, kInstructionCrm = 5;
  if (fields.size() < 4 || fields[1] != kCacheCrn) return CacheOperation::kNone;
  if (fields[2] == kFillCrm) return CacheOperation::kFills;
  const bool by_address = fields[2] == kInstructionCrm ? fields[3] == 1  // ic ivau
                                                       : fields[2] == 6 || fields[2] >= 10;
  return by_address ? CacheOperation::kMaintains : CacheOperation::kNone;
}

void FindAddress(const Llvm& llvm, const llvm::MCInst& inst, Instruction& instruction) {
  InstructionFlags& flags = instruction.flags;
  if (const auto operation = CacheOperationOf(instruction); operation != CacheOperation::kNone) {
    (operation == CacheOperation::kFills ? flags.may_store : flags.prefetch) = true;
    for (Operand& operand : instruction.operands) {
      if (operand.kind == OperandKind::kRegister) operand.address = AddressPart::kBase;
    }
    return;
  }
  if (!flags.may_load && !flags.may_store && !flags.prefetch) return;
  auto& operands = instruction.operands;
  if (IsMemoryMove(instruction)) {
    // [x0]!, [x1]!, x2!: destination, source (of copies) and the count.
    const std::size_t addresses = instruction.opcode.starts_with("CPY") ? 2 : 1;
    for (std::size_t i = 0; i < std::min(addresses, operands.size()); ++i) {
      operands[i].address = AddressPart::kBase;
    }
    return;
  }
  const bool literal = std::ranges::any_of(
      operands, [](const Operand& operand) { return operand.kind == OperandKind::kLabel; });
  const std::size_t base = FindBase(llvm, inst, instruction);
  if (base == operands.size()) {
    // Barriers and hints: LLVM says that they touch memory so that nothing moves across them.
    if (!literal || flags.call) flags.may_load = flags.may_store = false;
    return;
  }
  operands[base].address = AddressPart::kBase;
  const bool increments = instruction.opcode.ends_with("_POST");
  for (std::size_t i = base + 1; i < operands.size(); ++i) {
    Operand& operand = operands[i];
    if (operand.implicit) continue;
    if (operand.kind == OperandKind::kRegister) {
      operand.address = increments ? AddressPart::kIncrement : AddressPart::kIndex;
    } else if (instruction.opcode.ends_with("roX") || instruction.opcode.ends_with("roW")) {
      operand.kind = OperandKind::kModifier;
    } else if (operand.kind == OperandKind::kImmediate) {
      const bool post =
          instruction.opcode.ends_with("post") || instruction.opcode.ends_with("Post");
      operand.address = post ? AddressPart::kIncrement : AddressPart::kDisplacement;
    }
  }
}

void MustDiffer(Instruction& instruction, std::size_t a, std::size_t b) {
  instruction.operands[a].differs_from |= 1U << b;
  instruction.operands[b].differs_from |= 1U << a;
}

// Registers of loads and stores that must not coincide: two that are written, and a base that is
// written back with data of the same file. Copies and fills want all three apart.
void FindConflicts(Instruction& instruction) {
  const auto& operands = instruction.operands;
  const bool touches_memory = instruction.flags.may_load || instruction.flags.may_store;
  if (!touches_memory) return;
  const bool all_differ = IsMemoryMove(instruction);
  const bool status = BeginsWithAny(instruction.opcode, kExclusiveStores);
  for (std::size_t a = 0; a < operands.size(); ++a) {
    for (std::size_t b = a + 1; b < operands.size(); ++b) {
      const Operand& first = operands[a];
      const Operand& second = operands[b];
      if (first.implicit || second.implicit || first.reg.file != second.reg.file ||
          first.reg.file == kNone || first.reg.file == kZero) {
        continue;
      }
      const bool both_written = first.written && second.written;
      const auto written_back = [](const Operand& operand) {
        return operand.address == AddressPart::kBase && operand.written;
      };
      const auto data = [](const Operand& operand) {
        return operand.address == AddressPart::kNone;
      };
      const bool base_and_data =
          (written_back(first) && data(second)) || (written_back(second) && data(first));
      const bool status_and_any = status && a == 0;
      if (all_differ || both_written || base_and_data || status_and_any) {
        MustDiffer(instruction, a, b);
      }
    }
  }
}

// System registers and operations are named op0:op1:CRn:CRm:op2; op1 is 3 for those that programs
// may use (DDI 0487, D18.1).
constexpr std::int64_t kOp1OfPrograms = 3;
constexpr std::int64_t kRandomNumber = 0xd920;          // RNDR
constexpr std::int64_t kRandomNumberReseeded = 0xd921;  // RNDRRS

void FindSystemAccess(Instruction& instruction) {
  const std::string_view name = instruction.opcode;
  const auto value_of_first_immediate = [&instruction]() -> std::int64_t {
    const auto found =
        std::ranges::find(instruction.operands, OperandKind::kImmediate, &Operand::kind);
    return found == instruction.operands.end() ? 0 : found->value;
  };
  if (name == "MRS" || name == "MSR" || name == "MRRS" || name == "MSRR") {
    const std::int64_t system_register = value_of_first_immediate();
    instruction.flags.privileged = (system_register >> 11 & 7) != kOp1OfPrograms;
    // LLVM says that every MRS writes the flags, as the random numbers do.
    if (system_register != kRandomNumber && system_register != kRandomNumberReseeded) {
      std::erase_if(instruction.operands,
                    [](const Operand& operand) { return operand.reg.file == kFlags; });
    }
  } else if (name.starts_with("SYS")) {
    instruction.flags.privileged = value_of_first_immediate() != kOp1OfPrograms;
  } else if (name.starts_with("MSRpstate")) {
    // The fields that programs may set are named op1:op2.
    constexpr auto kOfPrograms = std::to_array<std::int64_t>({25, 26, 28});  // ssbs, dit, tco
    const bool allowed =
        std::ranges::find(kOfPrograms, value_of_first_immediate()) != kOfPrograms.end();
    instruction.flags.privileged = !allowed && name != "MSRpstatesvcrImm1";  // smstart, smstop
    std::erase_if(instruction.operands,
                  [](const Operand& operand) { return operand.reg.file == kFlags; });
  }
}

// "v4f32" of FDIVv4f32, "_S" of ADD_ZZZ_S.
std::string_view ElementsOf(std::string_view opcode) {
  for (std::size_t at = 0; at + 1 < opcode.size(); ++at) {
    if (opcode[at] == 'v' && std::isdigit(static_cast<unsigned char>(opcode[at + 1])) != 0)
      return opcode.substr(at);
  }
  const std::size_t last = opcode.rfind('_');
  return last == std::string_view::npos ? std::string_view() : opcode.substr(last);
}

// Of "UBFMWri w0, w1, 24, 31" (lsr, ubfx, uxtb) and "ANDWri w0, w1, 63", whose mask is written as
// a number of ones (Arm Architecture Reference Manual, DecodeBitMasks).
std::optional<std::int64_t> LimitOfResult(const llvm::MCInst& inst, std::string_view opcode) {
  const auto ones = [](std::int64_t count) {
    return static_cast<std::int64_t>((std::uint64_t{1} << count) - 1);
  };
  const auto number = [&inst](unsigned slot) { return inst.getOperand(slot).getImm(); };
  if ((opcode == "UBFMWri" || opcode == "UBFMXri") && inst.getNumOperands() == 4) {
    const std::int64_t from = number(2), to = number(3);
    constexpr std::int64_t kMostBits = 62;
    if (to < from || to - from >= kMostBits) return std::nullopt;
    return ones(to - from + 1);
  }
  if ((opcode == "ANDWri" || opcode == "ANDXri") && inst.getNumOperands() == 3) {
    // N, immr and imms: of 64 bits where N is set, else of 32 here. Without a rotation the ones are
    // the lowest.
    constexpr std::int64_t kSizeOf64 = 1 << 12, kMostOf32 = 31, kMostOf64 = 62;
    const std::int64_t whole = opcode == "ANDXri" ? kSizeOf64 : 0;
    const std::int64_t ones_less_one = number(2) - whole;
    const std::int64_t most = whole != 0 ? kMostOf64 : kMostOf32;
    if (ones_less_one < 0 || ones_less_one >= most) return std::nullopt;
    return ones(ones_less_one + 1);
  }
  return std::nullopt;
}

// "ADDXri", "SUBSWri", "ANDSXri", "TBNZW": the number is the third machine operand, and the fourth
// says by how much it is shifted.
void FindArithmetic(const llvm::MCInst& inst, Instruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  instruction.result_limit = LimitOfResult(inst, opcode);
  const bool increments = opcode == "CSINCWr" || opcode == "CSINCXr";
  if (increments || opcode == "CSELWr" || opcode == "CSELXr") {
    instruction.arithmetic = Arithmetic::kSelects;
    instruction.number = increments ? 1 : 0;
    return;
  }
  if (opcode.starts_with("TBZ") || opcode.starts_with("TBNZ") ||
      (opcode.starts_with("ANDS") && opcode.ends_with("ri"))) {
    instruction.arithmetic = Arithmetic::kTestsBits;
    return;
  }
  const bool adds = opcode.starts_with("ADD");
  const bool is_number = opcode.ends_with("Xri") || opcode.ends_with("Wri");
  if ((!adds && !opcode.starts_with("SUB")) || !is_number || inst.getNumOperands() < 4 ||
      !inst.getOperand(2).isImm()) {
    return;
  }
  const std::int64_t number = inst.getOperand(2).getImm() << inst.getOperand(3).getImm();
  const bool gives = std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.written && operand.reg.file == kGeneral;
  });
  instruction.arithmetic = gives ? Arithmetic::kAdds : Arithmetic::kCompares;
  // A comparison is a difference of which only the flags are kept.
  instruction.number = adds == gives ? number : -number;
}

// "ADDXrs x0, x1, x2, lsl #3", "ADDXrx64", and what copies a register: "ORRXrs x0, xzr, x1",
// "SBFMXri x0, x1, 0, 31" (sxtw).
void FindSum(const llvm::MCInst& inst, Instruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  const auto number = [&inst](unsigned slot) {
    return slot < inst.getNumOperands() && inst.getOperand(slot).isImm()
               ? inst.getOperand(slot).getImm()
               : 0;
  };
  const bool shifted = opcode == "ADDXrs" || opcode == "ADDWrs";
  const bool extended = opcode == "ADDXrx" || opcode == "ADDWrx" || opcode == "ADDXrx64";
  const bool is_or = opcode == "ORRXrs" || opcode == "ORRWrs";
  // "UBFMXri x0, x1, 56, 55" is lsl x0, x1, #8. Larger products are no addresses.
  constexpr std::int64_t kBits = 64, kMostShift = 32;
  const std::int64_t left = kBits - number(2);
  if (opcode == "UBFMXri" && number(3) + 1 == number(2) && left <= kMostShift) {
    instruction.arithmetic = Arithmetic::kSums;
    for (Operand& operand : instruction.operands) {
      if (operand.kind == OperandKind::kRegister && operand.read)
        operand.multiplier = std::int64_t{1} << left;
    }
    return;
  }
  constexpr std::int64_t kSignOf32 = 31;
  const bool extends = opcode == "SBFMXri" && number(2) == 0 && number(3) == kSignOf32;
  if (!shifted && !extended && !is_or && !extends) return;
  // The upper bits say which kind of shift, and 0 is to the left.
  constexpr std::int64_t kKinds = 64, kExtensions = 8;
  if (shifted && number(3) >= kKinds) return;
  if (is_or && number(3) != 0) return;
  const auto is_zero = [](const Operand& operand) {
    return operand.kind == OperandKind::kRegister && operand.reg.file == kZero;
  };
  if (is_or && std::ranges::none_of(instruction.operands, is_zero)) return;
  instruction.arithmetic = Arithmetic::kSums;
  Operand* last = nullptr;  // the register that is shifted
  for (Operand& operand : instruction.operands) {
    if (operand.kind == OperandKind::kRegister && operand.read && operand.slot == 2)
      last = &operand;
  }
  if (last == nullptr) return;
  if (shifted) last->multiplier = std::int64_t{1} << number(3);
  if (extended) last->multiplier = std::int64_t{1} << number(3) % kExtensions;
}

// "LDRXui", "LDURSWi", "LDPXpost", "LD1Onev16b": they give what memory holds. LLVM says it of
// x86-64's only (canFoldAsLoad). One element of a vector keeps the others, a pointer that is
// authenticated (LDRAA) and the parts of a structure (LD2) are made of what was read.
bool IsPlainLoad(const Instruction& instruction) {
  constexpr auto kPlain = std::to_array<std::string_view>(
      {"LDR", "LDUR", "LDTR", "LDP", "LDNP", "LDAR", "LDAPR", "LDAPUR", "LDLAR", "LD1"});
  constexpr auto kMade = std::to_array<std::string_view>({"LDRAA", "LDRAB", "LD1i"});
  return instruction.flags.may_load && !instruction.flags.may_store &&
         BeginsWithAny(instruction.opcode, kPlain) && !BeginsWithAny(instruction.opcode, kMade);
}

}  // namespace

// LLVM's names have it: ADDv4i32, FMULv2f64; of SVE's behind an underscore: FMUL_ZZZ_D.
int ElementBits(const Instruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  if (opcode.starts_with("LD") || opcode.starts_with("ST") || opcode.starts_with("DUP")) return 0;
  for (std::size_t at = opcode.find('v'); at != std::string_view::npos;
       at = opcode.find('v', at + 1)) {
    const std::size_t kind = opcode.find_first_not_of("0123456789", at + 1);
    if (kind == at + 1 || kind == std::string_view::npos) continue;
    if (opcode[kind] != 'i' && opcode[kind] != 'f') continue;
    int bits = 0;
    for (std::size_t i = kind + 1; i < opcode.size() && opcode[i] >= '0' && opcode[i] <= '9'; ++i)
      bits = bits * 10 + (opcode[i] - '0');
    if (bits > 0) return bits;
  }
  if (opcode.ends_with("_B")) return 8;
  if (opcode.ends_with("_H")) return 16;
  if (opcode.ends_with("_S")) return 32;
  return opcode.ends_with("_D") ? 64 : 0;
}

// Immediates count in units of the access where the opcode has an unsigned or a pair's offset
// (DDI 0487, C4.1); an index is shifted by the size of the access or not at all.
void ScaleAddress(Instruction& instruction) {
  const auto memory = std::ranges::find(instruction.operands, OperandKind::kMemory, &Operand::kind);
  if (memory == instruction.operands.end()) return;
  const std::string_view opcode = instruction.opcode;
  const std::int64_t size = memory->memory_bits / 8;
  constexpr auto kPairs = std::to_array<std::string_view>({"LDP", "STP", "LDNP", "STNP"});
  const bool pair = BeginsWithAny(opcode, kPairs);
  const std::int64_t unit = pair ? size / 2 : opcode.ends_with("ui") ? size : 1;
  const bool by_register = opcode.ends_with("roX") || opcode.ends_with("roW");
  const bool shifts =
      by_register && !instruction.slots.empty() && instruction.slots.back().value != 0;
  for (Operand& operand : instruction.operands) {
    if (operand.address == AddressPart::kDisplacement) operand.bytes = operand.value * unit;
    if (operand.address == AddressPart::kIncrement) {
      // The zero register stands for the size of the access.
      operand.bytes = operand.kind == OperandKind::kImmediate ? operand.value * unit
                      : operand.reg.file == kZero             ? size
                                                              : 0;
    }
    if (operand.address == AddressPart::kIndex && shifts) operand.multiplier = size;
  }
}

void Refine(const Llvm& llvm, const llvm::MCInst& inst, Instruction& instruction) {
  InstructionFlags& flags = instruction.flags;
  for (const Family& family : kFamilies) {
    if (instruction.opcode.starts_with(family.prefix)) flags.*family.flag = true;
  }
  if (BeginsWithAny(instruction.opcode, kExclusiveLoads)) flags.may_store = false;
  if (BeginsWithAny(instruction.opcode, kExclusiveStores)) flags.may_load = false;
  // The register allocator's view: a call reads the stack pointer so that it stays set up.
  if (flags.call) {
    std::erase_if(instruction.operands, [](const Operand& operand) {
      return operand.implicit && operand.reg == Register{kGeneral, 31, 64};
    });
  }
  FindConditionsAndModifiers(instruction);
  instruction.jumps_if_equal = JumpsIfEqual(instruction);
  FindSystemAccess(instruction);
  FindAddress(llvm, inst, instruction);
  FindConflicts(instruction);
  FindArithmetic(inst, instruction);
  FindSum(inst, instruction);
  flags.plain_load = IsPlainLoad(instruction);
  instruction.elements = ElementsOf(instruction.opcode);
}

}  // namespace cyclescope::assembler::aarch64
