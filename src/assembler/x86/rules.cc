// x86-64: what LLVM's public tables do not say. Names of opcodes and classes are LLVM's; what
// instructions do is from Intel's Software Developer's Manual, volume 2.
#include "assembler/rules.h"

#include <fmt/core.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrDesc.h>

#include <algorithm>
#include <array>
#include <utility>

#include "assembler/features.h"
#include "assembler/llvm_target.h"
#include "assembler/x86/x86.h"

namespace cyclescope::assembler::x86 {
namespace {

using enum RegisterFile;

constexpr auto kClassFiles = std::to_array<ClassFile>({
    {"GR8", kGeneral, 8},
    {"GR16", kGeneral, 16},
    {"GR32", kGeneral, 32},
    {"GR64", kGeneral, 64},
    {"VR64", kMmx, 64},
    {"RST", kX87, 80},
    {"VR128X", kVector, 128},
    {"VR256X", kVector, 256},
    {"VR512", kVector, 512},
    {"VK64", kMask, 64},
    {"VK16PAIR", kMask, 64, 2},
    {"TILE", kTile, 8192},
    {"SEGMENT_REG", kSystem, 16},
    {"CONTROL_REG", kSystem, 64},
    {"DEBUG_REG", kSystem, 64},
});

constexpr auto kSingleRegisters = std::to_array<SingleRegister>({
    {"EFLAGS", {kFlags, 0, 32}, "flags"},
    {"DF", {kControl, 0, 1}, "df"},
    {"MXCSR", {kControl, 1, 32}, "mxcsr"},
    {"FPCW", {kControl, 2, 16}, "fpcw"},
    {"FPSW", {kControl, 3, 16}, "fpsw"},
    {"SSP", {kControl, 4, 64}, "ssp"},
    {"RIP", {kSystem, 100, 64}, "rip"},
    {"EIP", {kSystem, 100, 32}, "eip"},
    {"ST0", {kX87, 0, 80}, "st(0)"},
    {"ST1", {kX87, 1, 80}, "st(1)"},
    {"ST2", {kX87, 2, 80}, "st(2)"},
    {"ST3", {kX87, 3, 80}, "st(3)"},
    {"ST4", {kX87, 4, 80}, "st(4)"},
    {"ST5", {kX87, 5, 80}, "st(5)"},
    {"ST6", {kX87, 6, 80}, "st(6)"},
    {"ST7", {kX87, 7, 80}, "st(7)"},
});

constexpr auto kPrefixes = std::to_array<std::string_view>(
    {"lock",    "rep",     "repe",     "repne",  "repz",         "repnz",  "data16",   "addr32",
     "cs",      "ds",      "es",       "fs",     "gs",           "ss",     "xacquire", "xrelease",
     "notrack", "bnd",     "rex64",    "{evex}", "{vex}",        "{vex2}", "{vex3}",   "{load}",
     "{store}", "{disp8}", "{disp32}", "{nf}",   "{nooptimize}", "{rex}",  "{rex2}"});

bool HasHighVector(const Instruction& instruction) {
  return std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.reg.file == kVector && operand.reg.index >= 16;
  });
}

// Vector registers from 16 on can only be encoded with EVEX; with lower ones `{evex}` has to say
// so.
void KeepEvex(const Instruction& original, Instruction& renamed) {
  if (HasHighVector(original) && !HasHighVector(renamed)) renamed.encoding_flags |= kUseEvex;
}

constexpr auto kExtraMnemonics = std::to_array<std::string_view>(
    {"jae",   "jb",     "jbe",    "jc",     "je",     "jg",    "jge",    "jl",     "jle",
     "jmp",   "jnc",    "jne",    "jno",    "jnp",    "jns",   "jnz",    "jo",     "jp",
     "js",    "jz",     "sete",   "setne",  "setc",   "setnc", "setz",   "setnz",  "setb",
     "seta",  "setbe",  "setae",  "setl",   "setg",   "setle", "setge",  "cmove",  "cmovne",
     "cmovc", "cmovnc", "cmovz",  "cmovnz", "cmovb",  "cmova", "cmovbe", "cmovae", "cmovl",
     "cmovg", "cmovle", "cmovge", "sal",    "movabs", "ret",   "call"});

constexpr auto kBaseline = std::to_array<std::string_view>(
    {"x87", "cx8", "cmov", "mmx", "fxsr", "sse", "sse2", "syscall", "tsc", "msr", "clflush"});

constexpr auto kOtherExtensions =
    std::to_array<std::string_view>({"3dnow", "3dnowext", "rdtscp", "sep"});

// Prefixes that LLVM lists as opcodes are no instructions either.
constexpr auto kCompilersOwn = std::to_array<std::string_view>(
    {"EH_RETURN", "EH_RETURN64", "ADDR16_PREFIX", "ADDR32_PREFIX", "CS_PREFIX", "DATA16_PREFIX",
     "DS_PREFIX", "ES_PREFIX", "FS_PREFIX", "GS_PREFIX", "LOCK_PREFIX", "REPNE_PREFIX",
     "REP_PREFIX", "REX64_PREFIX", "SS_PREFIX", "XACQUIRE_PREFIX", "XRELEASE_PREFIX"});

constexpr auto kUnreadable = std::to_array<Unreadable>({
    {"BSWAP16r_BAD", "", "bswap of 16 bits: what it gives is undefined"},
    {"MOVSX16r", "16", "a move of 16 bits that extends nothing: assembler text has no name for it"},
    {"MOVZX16r", "16", "a move of 16 bits that extends nothing: assembler text has no name for it"},
    {"MOVSX16r", "32", "movsxd without REX.W, which extends nothing: LLVM does not read its text"},
    {"MOVSX32r", "32", "movsxd without REX.W, which extends nothing: LLVM does not read its text"},
    {"R", "8r1_ND", "a shift by one of APX: LLVM prints it without the one", "egpr"},
    {"S", "8r1_ND", "a shift by one of APX: LLVM prints it without the one", "egpr"},
    {"R", "8r1_NF_ND", "a shift by one of APX: LLVM prints it without the one", "egpr"},
    {"S", "8r1_NF_ND", "a shift by one of APX: LLVM prints it without the one", "egpr"},
    {"REP_MOVSD_64", "", "LLVM prints it as 'movsdi', which it does not read: it is 'rep movsd'"},
    {"VGATHERPF", "", "a prefetch of AVX-512PF, as Xeon Phi had: LLVM does not read its text",
     "avx512pf"},
    {"VSCATTERPF", "", "a prefetch of AVX-512PF, as Xeon Phi had: LLVM does not read its text",
     "avx512pf"},
});

// rax has short forms of its own, rbp wants a displacement, rcx counts shifts.
constexpr auto kGeneralOrder =
    std::to_array<std::uint8_t>({3, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 2, 1, 0, 5});

// The top of the x87 stack is an operand of every instruction there.
constexpr auto kX87Order = std::to_array<std::uint8_t>({1, 2, 3, 4, 5, 6, 7, 0});

constexpr auto kRegisterOrders =
    std::to_array<RegisterOrder>({{kGeneral, kGeneralOrder}, {kX87, kX87Order}});

constexpr auto kHighBytes = std::to_array<std::string_view>({"AH", "BH", "CH", "DH"});

std::string OperandName(const Instruction& /*instruction*/, const Operand& /*operand*/,
                        std::string name) {
  return name;
}

// LLVM keeps the low 32 bits of any displacement, reads a vector register as a general one where
// the opcode has no vector index, and takes `lock` before everything.
std::optional<Misreading> FindMisreading(const Instruction& instruction) {
  constexpr std::string_view kLockHint = "as in 'lock add qword ptr [rbx], rax'";
  const bool has_lock = (instruction.encoding_flags & kHasLock) != 0;
  if (has_lock && !instruction.flags.may_store)
    return Misreading{"'lock' needs a memory destination", std::string(kLockHint)};
  if (has_lock && !instruction.flags.may_load)
    return Misreading{"'lock' needs a memory destination that is read and written",
                      std::string(kLockHint)};
  const bool has_scale = std::ranges::any_of(instruction.operands, [](const Operand& operand) {
    return operand.address == AddressPart::kScale;
  });
  if (!has_scale) return std::nullopt;
  for (const Operand& operand : instruction.operands) {
    if (operand.address == AddressPart::kDisplacement &&
        !std::in_range<std::int32_t>(operand.value)) {
      return Misreading{fmt::format("the displacement {} does not fit 32 bits", operand.value),
                        "put the address into a register"};
    }
    if (operand.address == AddressPart::kIndex && operand.reg.file == kVector &&
        operand.allowed == 0) {
      return Misreading{
          fmt::format("'{}' takes no vector register as an index", instruction.mnemonic), ""};
    }
  }
  return std::nullopt;
}

// x86 has more features that say how a CPU behaves than what it offers; all that are extensions are
// in our table.
bool IsExtension(std::string_view feature) {
  return std::ranges::find(FeatureNames(), feature, &FeatureName::llvm) != FeatureNames().end();
}

// By the ending of the manual's name: addps, vmulpd, paddd, pcmpeqb.
int ElementBits(const Instruction& instruction) {
  std::string_view name = instruction.name;
  if (name.starts_with('v')) name.remove_prefix(1);
  const bool moves = name.starts_with("mov") || name.starts_with("broadcast");
  if (moves || !std::ranges::any_of(instruction.operands, [](const Operand& operand) {
        return operand.reg.file == kVector && operand.reg.bits >= 128;
      }))
    return 0;
  // Of a conversion, what it converts from.
  if (name.starts_with("cvt")) return name.contains("pd2") ? 64 : name.contains("ph2") ? 16 : 32;
  if (name.ends_with("ps")) return 32;
  if (name.ends_with("pd")) return 64;
  if (name.ends_with("ph")) return 16;
  if (!name.starts_with('p')) return 0;
  switch (name.back()) {
    case 'b':
      return 8;
    case 'w':
      return 16;
    case 'd':
      return 32;
    case 'q':
      return 64;
    default:
      return 0;
  }
}

// In AT&T syntax an asterisk stands before what is no label; in Intel's it is an address or a
// register.
bool IsIndirect(std::string_view operands) {
  constexpr auto kRegisters =
      std::to_array<std::string_view>({"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8",
                                       "r9", "r10", "r11", "r12", "r13", "r14", "r15"});
  return operands.find_first_of("*[") != std::string_view::npos ||
         std::ranges::find(kRegisters, operands) != kRegisters.end();
}

Flow FlowOf(std::string_view mnemonic, std::string_view operands) {
  if (mnemonic == "notrack" || mnemonic == "bnd") {
    const std::size_t end = std::min(operands.find_first_of(" \t"), operands.size());
    return FlowOf(operands.substr(0, end), operands.substr(end));
  }
  if (mnemonic == "jmp" || mnemonic == "jmpq")
    return IsIndirect(operands) ? Flow::kIndirect : Flow::kJump;
  if (mnemonic.starts_with('j') || mnemonic.starts_with("loop")) return Flow::kConditional;
  if (mnemonic.starts_with("call")) return Flow::kCall;
  const bool ends = mnemonic.starts_with("ret") || mnemonic.starts_with("iret") ||
                    mnemonic == "ud2" || mnemonic == "hlt";
  return ends ? Flow::kEnd : Flow::kOn;
}

}  // namespace

// A rule that is left out must not compile.
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wmissing-field-initializers"
const Rules& GetRules() {
  static constexpr Rules kRules{.class_files = kClassFiles,
                                .single_registers = kSingleRegisters,
                                .stack_pointer = "RSP",
                                .high_bytes = kHighBytes,
                                .least_length = 1,
                                .general_registers = 0xffff,
                                .has_att_syntax = true,
                                .equal_is_pool = false,
                                .slash_is_a_part = false,
                                .comment_sign = "#",
                                .flow = FlowOf,
                                .jump = "jmp",
                                .byte_mark = "100,103,144",
                                .operand_name = OperandName,
                                .misreading = FindMisreading,
                                .prefixes = kPrefixes,
                                .extra_mnemonics = kExtraMnemonics,
                                .refine = Refine,
                                .memory_access = AccessOf,
                                .element_bits = ElementBits,
                                .scale_address = ScaleAddress,
                                .value_sets = ValueSets,
                                .reload = Reload,
                                .keep_encoding = KeepEvex,
                                .isa = Isa,
                                // X86Schedule.td's WriteSystem, as WriteMicrocoded: 100 cycles in
                                // all models of LLVM 19.
                                .unmodelled = "HLT",
                                .is_extension = IsExtension,
                                .without_extensions = "",
                                .baseline = kBaseline,
                                .other_extensions = kOtherExtensions,
                                .compilers_own = kCompilersOwn,
                                .unreadable = kUnreadable,
                                .immediates = ImmediatesFor,
                                .next_instruction = 0,
                                .register_orders = kRegisterOrders,
                                .add_address = AddAddress,
                                .has_variants = HasVariants};
  return kRules;
}
#pragma GCC diagnostic pop

}  // namespace cyclescope::assembler::x86
