// What x86-64 instructions do with their operands, where LLVM's tables say nothing or something
// else. Instructions are told apart by LLVM's opcodes and by the manual's names (Intel's Software
// Developer's Manual, volume 2), never by printed text, which has another form in AT&T syntax.
#include "assembler/roles.h"

#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrDesc.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "assembler/llvm_target.h"
#include "assembler/x86/x86.h"

namespace cyclescope::assembler::x86 {
namespace {

using enum RegisterFile;

constexpr std::uint8_t kStackPointer = 4;

constexpr auto kPrivileged = std::to_array<std::string_view>({
    "clac",      "cli",     "clts",      "hlt",       "in",        "insb",    "insd",
    "insw",      "invd",    "invept",    "invlpg",    "invlpga",   "invlpgb", "invpcid",
    "invvpid",   "lgdt",    "lidt",      "lldt",      "lmsw",      "ltr",     "monitor",
    "mwait",     "out",     "outsb",     "outsd",     "outsw",     "pconfig", "psmash",
    "pvalidate", "rdmsr",   "rdmsrlist", "rmpadjust", "rmpupdate", "rsm",     "skinit",
    "stac",      "stgi",    "clgi",      "sti",       "swapgs",    "sysexit", "sysexitq",
    "sysret",    "sysretq", "tlbsync",   "vmclear",   "vmlaunch",  "vmload",  "vmptrld",
    "vmptrst",   "vmread",  "vmresume",  "vmrun",     "vmsave",    "vmwrite", "vmxoff",
    "vmxon",     "wbinvd",  "wbnoinvd",  "wrmsr",     "wrmsrlist", "wrmsrns", "xrstors",
    "xrstors64", "xsaves",  "xsaves64",  "xsetbv",    "encls",     "enclv",   "seamcall",
    "seamops",   "seamret", "tdcall",    "clrssbsy",  "setssbsy",  "wruss",   "wrussd",
    "wrussq",    "hreset",  "loadiwkey", "eretu",     "erets",     "lkgs",    "enqcmds",
});
// What gives zero where its sources are one register.
constexpr auto kZeroing = std::to_array<std::string_view>(
    {"xor",    "sub",    "pxor",    "xorps",   "xorpd",   "vpxor",    "vxorps",   "vxorpd",
     "vpxord", "vpxorq", "psubb",   "psubw",   "psubd",   "psubq",    "vpsubb",   "vpsubw",
     "vpsubd", "vpsubq", "pcmpgtb", "pcmpgtw", "pcmpgtd", "vpcmpgtb", "vpcmpgtw", "vpcmpgtd"});
constexpr auto kTraps = std::to_array<std::string_view>(
    {"syscall", "sysenter", "int",   "int1",  "int3",   "into",    "ud0",
     "ud1",     "ud2",      "icebp", "enclu", "vmcall", "vmmcall", "vmfunc",
     "iret",    "iretd",    "iretq", "retf",  "retfq",  "uiret"});
// What LLVM says both loads and stores, or neither, though it does one of them.
constexpr auto kOnlyLoads = std::to_array<std::string_view>(
    {"ptwrite", "lwpval", "lwpins", "xrstor", "xrstor64", "xrstors", "xrstors64", "ldmxcsr",
     "vldmxcsr", "fxrstor", "fxrstor64", "ldtilecfg"});
constexpr auto kOnlyStores = std::to_array<std::string_view>(
    {"movdiri",  "movntq",   "fxsave",     "fxsave64", "sttilecfg", "xsave", "xsave64", "xsavec",
     "xsavec64", "xsaveopt", "xsaveopt64", "xsaves",   "xsaves64",  "wrssd", "wrssq",   "wrussd",
     "wrussq",   "sgdt",     "sidt",       "smsw",     "vmptrst",   "insb",  "insd",    "insw"});
// With memory as the destination they store, and with a register they load.
constexpr auto kMaskedMoves =
    std::to_array<std::string_view>({"vmaskmovps", "vmaskmovpd", "vpmaskmovd", "vpmaskmovq"});
constexpr auto kNoAccess = std::to_array<std::string_view>({"lea", "nop", "bndmk"});
constexpr auto kPrefetches = std::to_array<std::string_view>(
    {"clflush", "clflushopt", "clwb", "cldemote", "prefetch", "prefetchw", "prefetchwt1",
     "prefetchnta", "prefetcht0", "prefetcht1", "prefetcht2", "prefetchit0", "prefetchit1"});
constexpr auto kLoadingStrings = std::to_array<std::string_view>(
    {"lodsb", "lodsw", "lodsd", "lodsq", "cmpsb", "cmpsw", "cmpsd", "cmpsq", "scasb", "scasw",
     "scasd", "scasq", "movsb", "movsw", "movsd", "movsq"});
constexpr auto kStoringStrings = std::to_array<std::string_view>(
    {"stosb", "stosw", "stosd", "stosq", "movsb", "movsw", "movsd", "movsq"});
// By opcode: the name movsd is also that of a vector move.
constexpr auto kMoveStringOpcodes = std::to_array<std::string_view>(
    {"MOVSB", "MOVSW", "MOVSL", "MOVSQ", "STOSB", "STOSW", "STOSL", "STOSQ"});

// Scalar SSE instructions that compute only the low element and keep the rest of the destination
// (the VEX forms take the rest from another source).
constexpr auto kKeepsUpperPart = std::to_array<std::string_view>(
    {"cvtsi2sd", "cvtsi2ss", "cvtss2sd", "cvtsd2ss", "sqrtss", "sqrtsd", "rcpss", "rsqrtss",
     "roundss", "roundsd", "cvtpi2ps"});

// x87 instructions that push a value or pop some.
constexpr auto kX87Moves = std::to_array<std::string_view>(
    {"fld",    "fld1",    "fldl2e",  "fldl2t",  "fldlg2", "fldln2",  "fldpi",  "fldz",   "fild",
     "fbld",   "fptan",   "fxtract", "fsincos", "fstp",   "fistp",   "fisttp", "fbstp",  "faddp",
     "fsubp",  "fsubrp",  "fmulp",   "fdivp",   "fdivrp", "fcomp",   "fcompp", "fcompi", "ficomp",
     "fucomp", "fucompp", "fucompi", "fpatan",  "fyl2x",  "fyl2xp1", "ffreep"});
// Those that only read the top of the stack, and those that are about the unit's state.
constexpr auto kX87Reads = std::to_array<std::string_view>(
    {"fcom", "ficom", "fcomi", "fucom", "fucomi", "ftst", "fxam", "fst", "fist"});
constexpr auto kX87ReadsNext = std::to_array<std::string_view>({"fprem", "fprem1", "fscale"});
constexpr auto kX87State = std::to_array<std::string_view>(
    {"fnop", "fninit", "fnclex", "fldcw", "fnstcw", "fnstsw", "fldenv", "fnstenv", "fnsave",
     "frstor", "fxsave", "fxsave64", "fxrstor", "fxrstor64", "ffree", "fincstp", "fdecstp",
     "wait"});

// Opcodes that are undefined unless their vector, mask or tile registers are all different.
constexpr auto kAllDiffer =
    std::to_array<std::string_view>({"VGATHER", "VPGATHER", "TDPB", "TDPF", "TCMM"});
// Undefined if the destination is also a source.
constexpr auto kDestinationDiffers =
    std::to_array<std::string_view>({"VFMULCPH", "VFCMULCPH", "VFMULCSH", "VFCMULCSH", "VFMADDCPH",
                                     "VFCMADDCPH", "VFMADDCSH", "VFCMADDCSH"});

// A register that LLVM's table leaves out, or of which it names only the read.
void AddImplicit(Instruction& instruction, const Register& reg, std::string name, bool written) {
  const auto same = std::ranges::find_if(instruction.operands, [&reg](const Operand& operand) {
    return operand.implicit && operand.reg.Overlaps(reg);
  });
  if (same != instruction.operands.end()) {
    same->read = true;
    same->written = same->written || written;
    return;
  }
  instruction.operands.push_back({.kind = OperandKind::kRegister,
                                  .name = std::move(name),
                                  .read = true,
                                  .written = written,
                                  .implicit = true,
                                  .reg = reg});
}

void AddCountOfRepeats(Instruction& instruction) {
  if (!Repeats(instruction)) return;
  AddImplicit(instruction, {kGeneral, 1, 64}, "rcx", /*written=*/true);
  instruction.remarks.push_back({ClaimCode::kRepeats, {{"times", static_cast<double>(kRepeats)}}});
}

// Where LLVM has the name of 32-bit mode.
void Widen(Operand& operand) {
  operand.reg.bits = 64;
  if (operand.name.starts_with('e')) operand.name.front() = 'r';
}

// What LLVM's table says of registers that no text names, and the manual does not.
void CorrectImplicit(Instruction& instruction) {
  const std::string_view name = instruction.name;
  for (Operand& operand : instruction.operands) {
    if (!operand.implicit || operand.reg.file != kGeneral) continue;
    // In 64-bit mode the stack pointer is 64 bits wide, whatever is pushed.
    if (operand.reg.index == kStackPointer) Widen(operand);
    // They spread the sign of rax over rdx.
    const bool sign = name == "cwd" || name == "cdq" || name == "cqo";
    if (sign && operand.reg.index == 0) operand.written = false;
  }
  // "The CF, OF, SF, ZF, AF, and PF flags are undefined."
  if (name == "div" || name == "idiv") {
    for (Operand& operand : instruction.operands)
      operand.undefined = operand.reg.file == kFlags && operand.written;
  }
  // It writes upper halves alone: what waits for the lower ones does not wait for it.
  if (instruction.opcode == "VZEROUPPER") {
    std::erase_if(instruction.operands,
                  [](const Operand& operand) { return operand.reg.file == kVector; });
  }
  if (name.starts_with("loop")) {
    AddImplicit(instruction, {kGeneral, 1, 64}, "rcx", /*written=*/true);
    if (name != "loop") AddImplicit(instruction, {kFlags, 0, 32}, "flags", /*written=*/false);
  }
}

// x87 instructions work on the top of the stack, of which LLVM's table says nothing. Where the
// result goes to another register (`fadd st(1), st`), LLVM names that one as read only.
void AddTopOfX87Stack(Instruction& instruction) {
  const bool x87 = std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.implicit && operand.name == "fpsw";
  });
  if (!x87 || Has(kX87State, instruction.name)) return;
  const bool exchanges = instruction.opcode == "XCH_F";
  const bool to_other = instruction.opcode.ends_with("FrST0") ||
                        instruction.opcode.ends_with("FPrST0") || instruction.opcode == "ST_Frr" ||
                        instruction.opcode == "ST_FPrr";
  if (exchanges || to_other) {
    Operand& other = instruction.operands.front();
    other.written = true;
    other.read = !instruction.opcode.starts_with("ST_");
    other.allowed &= ~1U;  // st(0) is the top
  }
  const bool writes_top = !to_other && !Has(kX87Reads, instruction.name);
  AddImplicit(instruction, {kX87, 0, 80}, "st(0)", writes_top);
  if (Has(kX87ReadsNext, instruction.name)) {
    AddImplicit(instruction, {kX87, 1, 80}, "st(1)", /*written=*/false);
  }
  instruction.flags.writes_x87_top_only = writes_top && !exchanges;
}

// Of "je" and "jne".
std::optional<bool> JumpsIfEqual(const Instruction& branch) {
  constexpr std::int64_t kEqual = 4, kNotEqual = 5;
  const auto condition =
      std::ranges::find(branch.operands, OperandKind::kCondition, &Operand::kind);
  if (condition == branch.operands.end()) return std::nullopt;
  if (condition->value != kEqual && condition->value != kNotEqual) return std::nullopt;
  return condition->value == kEqual;
}

// True if it reads nothing but one whole register, twice.
bool ReadsOneRegister(const Instruction& instruction) {
  constexpr int kLeastBits = 32;  // shorter writes keep a part of the register
  const Operand* first = nullptr;
  int reads = 0;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind == OperandKind::kMemory || operand.kind == OperandKind::kImmediate)
      return false;
    if (operand.kind != OperandKind::kRegister || !operand.read) continue;
    if (operand.reg.bits < kLeastBits || operand.reg.file == RegisterFile::kMask) return false;
    if (first != nullptr && !first->reg.Overlaps(operand.reg)) return false;
    first = &operand;
    ++reads;
  }
  return reads > 1;
}

bool UsesControlRegister(const Instruction& instruction) {
  return std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.reg.file == kSystem && operand.reg.bits == 64 &&
           operand.address == AddressPart::kNone;
  });
}

// An implicit register that holds the address.
void MakeBase(std::string_view name, Instruction& instruction) {
  const auto base = std::ranges::find_if(instruction.operands, [name](const Operand& operand) {
    return operand.implicit && operand.name == name;
  });
  if (base == instruction.operands.end()) return;
  base->address = AddressPart::kBase;
  Widen(*base);
}

void FindAccess(bool has_address, Instruction& instruction) {
  InstructionFlags& flags = instruction.flags;
  const std::string_view name = instruction.name;
  if (Has(kPrefetches, name)) {
    flags.prefetch = true;
  } else if (flags.call || flags.returns) {
    AddImplicit(instruction, {kGeneral, kStackPointer, 64}, "rsp", /*written=*/true);
    flags.may_load = flags.may_load || flags.returns;
    flags.may_store = flags.may_store || flags.call;
  } else if (name == "maskmovdqu" || name == "vmaskmovdqu" || name == "maskmovq") {
    MakeBase("rdi", instruction);
    flags.may_load = false;
    flags.may_store = true;
  } else if (name == "clzero") {
    MakeBase("rax", instruction);
    flags.may_load = false;
    flags.may_store = true;
  } else if (name == "xlatb") {
    MakeBase("ebx", instruction);  // so LLVM has it
    flags.may_load = true;
    flags.may_store = false;
  } else if (name == "enter") {
    AddImplicit(instruction, {kGeneral, 5, 64}, "rbp", /*written=*/true);
    AddImplicit(instruction, {kGeneral, kStackPointer, 64}, "rsp", /*written=*/true);
    flags.may_load = false;
    flags.may_store = true;
  } else if (Has(kOnlyLoads, name)) {
    flags.may_load = true;
    flags.may_store = false;
  } else if (Has(kOnlyStores, name) ||
             (Has(kMaskedMoves, name) && instruction.opcode.ends_with("mr"))) {
    flags.may_load = false;
    flags.may_store = true;
  } else if (!has_address) {
    // Fences and the like: LLVM says that they touch memory so that nothing moves across them.
    const bool stack = std::ranges::any_of(instruction.operands, [](const Operand& operand) {
      return operand.implicit && operand.reg.file == kGeneral && operand.reg.index == kStackPointer;
    });
    if (!stack) flags.may_load = flags.may_store = false;
  } else if (Has(kNoAccess, name)) {
    flags.may_load = flags.may_store = false;
  } else if (Has(kMoveStringOpcodes, instruction.opcode) || (!flags.may_load && !flags.may_store)) {
    const bool stores = Has(kStoringStrings, name);
    const bool loads = Has(kLoadingStrings, name);
    flags.may_store = flags.may_store || (stores && !flags.may_load);
    flags.may_load = flags.may_load || loads || !stores;
  }
}

// A form with ah, bh, ch or dh has no REX prefix, and so reaches neither r8 to r15 nor spl to dil.
void RestrictBesideHighByte(Instruction& instruction) {
  const bool high_byte = std::ranges::any_of(
      instruction.operands, [](const Operand& operand) { return operand.reg.high_byte; });
  if (!high_byte) return;
  constexpr std::uint32_t kLowFour = 0xf, kWithoutRex = 0xff;
  for (Operand& operand : instruction.operands) {
    if (operand.reg.high_byte) {
      operand.allowed = 0;
    } else if (operand.reg.file == kGeneral) {
      operand.allowed &= operand.reg.bits == 8 ? kLowFour : kWithoutRex;
    }
  }
}

void FindPartialWrites(Instruction& instruction) {
  const bool keeps_upper_part = Has(kKeepsUpperPart, instruction.name);
  for (Operand& operand : instruction.operands) {
    if (!operand.written) continue;
    if (operand.reg.file == kVector && keeps_upper_part) {
      operand.partial = true;
      operand.read = false;
    }
    if (operand.reg.file == kGeneral && operand.reg.bits < 32) operand.partial = true;
  }
}

void FindConflicts(Instruction& instruction) {
  const bool all = BeginsWithAny(instruction.opcode, kAllDiffer);
  const bool destination = BeginsWithAny(instruction.opcode, kDestinationDiffers);
  if (!all && !destination) return;
  auto& operands = instruction.operands;
  for (std::size_t a = 0; a < operands.size(); ++a) {
    for (std::size_t b = a + 1; b < operands.size(); ++b) {
      const bool same_file = operands[a].reg.file == operands[b].reg.file &&
                             (operands[a].reg.file == kVector || operands[a].reg.file == kTile);
      if (!same_file || (!all && !operands[a].written)) continue;
      operands[a].differs_from |= 1U << b;
      operands[b].differs_from |= 1U << a;
    }
  }
}

// Gathers and scatters: their last written operand, explicit and read, is the mask.
void FindSpentMask(Instruction& instruction) {
  constexpr auto kMasked =
      std::to_array<std::string_view>({"VGATHER", "VPGATHER", "VSCATTER", "VPSCATTER"});
  if (!BeginsWithAny(instruction.opcode, kMasked)) return;
  auto& operands = instruction.operands;
  const auto mask = std::find_if(operands.rbegin(), operands.rend(), [](const Operand& operand) {
    return !operand.implicit && operand.written && operand.read &&
           operand.kind == OperandKind::kRegister;
  });
  if (mask != operands.rend()) mask->spent = true;
}

// What its prefixes mean. One that changes how long the immediate is: 66h before one of 16 bits.
void FindPrefixes(const llvm::MCInstrDesc& desc, Instruction& instruction) {
  // Fields of MCInstrDesc::TSFlags (X86II::OpSizeMask, X86II::ImmMask, X86II::EncodingMask).
  constexpr unsigned kOperandSizeShift = 7, kImmediateShift = 18, kEncodingShift = 29;
  constexpr std::uint64_t kLegacy = 0;
  instruction.flags.vex = (desc.TSFlags >> kEncodingShift & 3) != kLegacy;
  constexpr std::uint64_t kOperandSize16 = 1, kImmediate16 = 4;
  const bool changes = (desc.TSFlags >> kOperandSizeShift & 3) == kOperandSize16 &&
                       (desc.TSFlags >> kImmediateShift & 15) == kImmediate16;
  instruction.flags.length_changing_prefix = changes;
  if (changes) {
    instruction.remarks.push_back({ClaimCode::kLengthChangingPrefix, {}});
  }
}

// Why an instruction cannot be run by itself, or faults where it is.
void FindReasons(bool has_address, Instruction& instruction) {
  constexpr auto kShortBranches =
      std::to_array<std::string_view>({"CALLpcrel16", "JCC_2", "JMP_2", "XBEGIN_2"});
  if (Has(kShortBranches, instruction.opcode)) {
    instruction.refusal =
        "in 64-bit mode Intel's cores read a distance of 32 bits here, and AMD's cut the address";
  } else if (instruction.name == "leave") {
    instruction.refusal =
        "it takes the stack pointer from rbp, and rbp from the stack: measure it behind 'enter' or "
        "'push rbp; mov rbp, rsp' with 'cyclescope block'";
  } else if (instruction.name == "rdpmc") {
    instruction.fault_reason =
        "the kernel lets programs read counters only while one is open (CR4.PCE)";
  } else if (instruction.name.starts_with("fxrstor") || instruction.name.starts_with("xrstor")) {
    instruction.fault_reason =
        "it takes the processor's state from memory, and faults where that holds something else";
  } else if (instruction.name == "ldmxcsr" || instruction.name == "vldmxcsr" ||
             instruction.name == "ldtilecfg") {
    instruction.fault_reason =
        "it takes a control word from memory, and faults where that holds something else";
  } else if (instruction.name == "lfs" || instruction.name == "lgs" || instruction.name == "lss") {
    instruction.fault_reason =
        "it takes a segment's selector from memory, and faults where that holds something else";
  } else if (instruction.name.starts_with("lwp") || instruction.name == "slwpcb") {
    instruction.fault_reason = "the kernel does not enable lightweight profiling";
  } else if (instruction.name.starts_with("xcrypt") || instruction.name == "enqcmd") {
    instruction.fault_reason = "it needs a device behind its address";
  }
  const bool narrow = has_address && (instruction.flags.may_load || instruction.flags.may_store) &&
                      std::ranges::any_of(instruction.operands, [](const Operand& operand) {
                        return operand.address == AddressPart::kBase && operand.reg.bits == 32 &&
                               operand.reg.file == kGeneral;
                      });
  if (narrow) {
    instruction.fault_reason =
        "its address has 32 bits, and the memory that code may use lies above them";
  }
}

// Of "shr eax, 24" and "and eax, 63", which write whole registers.
std::optional<std::int64_t> LimitOfResult(const Instruction& instruction, std::int64_t number) {
  constexpr int kHalf = 32, kWhole = 64;
  const std::string_view opcode = instruction.opcode;
  for (const int bits : {kHalf, kWhole}) {
    if (opcode == "SHR" + std::to_string(bits) + "ri" && 0 < number && number < bits)
      return static_cast<std::int64_t>((~std::uint64_t{0} >> (kWhole - bits)) >> number);
    if (opcode.starts_with("AND" + std::to_string(bits) + "ri") && number >= 0) return number;
  }
  return std::nullopt;
}

// Larger products are no addresses.
constexpr std::int64_t kMostShift = 32;

void FindArithmetic(Instruction& instruction) {
  // The number of bits follows: "ADD64ri8".
  const auto is = [&instruction](std::string_view word) {
    return instruction.opcode.starts_with(word) && instruction.opcode.size() > word.size() &&
           std::isdigit(static_cast<unsigned char>(instruction.opcode[word.size()])) != 0;
  };
  const auto set = [&instruction](Arithmetic arithmetic, std::int64_t number) {
    instruction.arithmetic = arithmetic;
    instruction.number = number;
  };
  const auto number = std::ranges::find_if(instruction.operands, [](const Operand& operand) {
    return operand.kind == OperandKind::kImmediate &&
           (operand.address == AddressPart::kNone || operand.address == AddressPart::kDisplacement);
  });
  const std::string_view opcode = instruction.opcode;
  // What it compares with memory, too: that may be what ends a loop.
  if (is("CMP")) {
    const auto compared = std::ranges::find_if(instruction.operands, [](const Operand& operand) {
      return operand.kind == OperandKind::kImmediate && operand.address == AddressPart::kNone;
    });
    if (compared != instruction.operands.end()) return set(Arithmetic::kCompares, compared->value);
  }
  const bool extends = opcode.starts_with("MOVZX") || opcode.starts_with("MOVSX");
  if (extends && instruction.flags.may_load) instruction.flags.plain_load = true;
  if (instruction.flags.may_load || instruction.flags.may_store) return;
  const bool copies = opcode == "MOV64rr" || opcode == "MOV32rr" || opcode == "MOVSX64rr32" ||
                      opcode == "MOV64rr_REV" || opcode == "MOV32rr_REV";
  if (copies || opcode.starts_with("ADD64rr") || opcode.starts_with("ADD32rr"))
    return set(Arithmetic::kSums, 0);
  if (extends) return set(Arithmetic::kExtends, 0);
  if (opcode == "CMOV32rr" || opcode == "CMOV64rr") return set(Arithmetic::kSelects, 0);
  if (opcode == "SETCCr") instruction.result_limit = 1;
  // `test al, al` compares with zero.
  if (is("TEST") && opcode.ends_with("rr") &&
      instruction.operands[0].reg == instruction.operands[1].reg)
    return set(Arithmetic::kCompares, 0);
  if (is("INC")) return set(Arithmetic::kAdds, 1);
  if (is("DEC")) return set(Arithmetic::kAdds, -1);
  if (number == instruction.operands.end()) return;
  instruction.result_limit = LimitOfResult(instruction, number->value);
  if (opcode == "SHL64ri" && 0 < number->value && number->value < kMostShift) {
    for (Operand& operand : instruction.operands) {
      if (operand.kind == OperandKind::kRegister && operand.read && operand.reg.file == kGeneral)
        operand.multiplier = std::int64_t{1} << number->value;
    }
    return set(Arithmetic::kSums, 0);
  }
  if (is("LEA")) return set(Arithmetic::kSums, number->value);
  if (is("ADD")) return set(Arithmetic::kAdds, number->value);
  if (is("SUB")) return set(Arithmetic::kAdds, -number->value);
  if (is("ADC") || is("SBB")) {
    instruction.number_spread = 1;
    return set(Arithmetic::kAdds, is("ADC") ? number->value : -number->value - 1);
  }
  if (is("TEST") || is("AND")) return set(Arithmetic::kTestsBits, number->value);
}

}  // namespace

void Refine(const Llvm& llvm, const llvm::MCInst& inst, Instruction& instruction) {
  const llvm::MCInstrDesc& desc = llvm.instructions->get(inst.getOpcode());
  for (Operand& operand : instruction.operands) {
    if (operand.implicit || operand.kind != OperandKind::kImmediate) continue;
    const int type = desc.operands()[operand.slot].OperandType;
    if (type == kRoundingControl) operand.kind = OperandKind::kModifier;
    if (type == kConditionCode) operand.kind = OperandKind::kCondition;
  }
  InstructionFlags& flags = instruction.flags;
  const std::string_view name = instruction.name;
  flags.traps = Has(kTraps, name);
  const bool has_address = FindAddress(llvm, desc, instruction);
  FindAccess(has_address, instruction);
  FindSecondAddress(instruction);
  CorrectImplicit(instruction);
  JoinStringRegisters(instruction);
  AddCountOfRepeats(instruction);
  AddTopOfX87Stack(instruction);
  flags.moves_x87_stack = Has(kX87Moves, name);
  flags.privileged = Has(kPrivileged, name) || UsesControlRegister(instruction);
  // cmpxchg compares with its destination before it writes it; LLVM lists only the write.
  if (instruction.opcode.starts_with("CMPXCHG") && instruction.opcode.ends_with("rr")) {
    instruction.operands.front().read = true;
  }
  // What a program may execute and every hypervisor gets to see (Intel SDM volume 3, "Instructions
  // That Cause VM Exits Unconditionally"). AMD's let a hypervisor choose, and all of them choose
  // so.
  flags.leaves_virtual_machine = name == "cpuid";
  if (flags.leaves_virtual_machine) {
    instruction.remarks.push_back({ClaimCode::kHypervisorAnswers, {}});
  }
  // Intel's cores fuse a compare and its branch since Nehalem, AMD's since Bulldozer.
  flags.fuses = instruction.opcode.starts_with("JCC");
  if (flags.fuses) instruction.jumps_if_equal = JumpsIfEqual(instruction);
  flags.zeroes = Has(kZeroing, name) && ReadsOneRegister(instruction);
  flags.keeps_where_source_is_zero = name == "bsf" || name == "bsr";
  FindArithmetic(instruction);
  FindPrefixes(desc, instruction);
  FindReasons(has_address, instruction);
  RestrictBesideHighByte(instruction);
  FindPartialWrites(instruction);
  FindConflicts(instruction);
  FindSpentMask(instruction);
}

}  // namespace cyclescope::assembler::x86
