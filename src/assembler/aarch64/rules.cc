// AArch64's rules: its registers, how its text is read, and the functions of the other files.
#include <algorithm>
#include <array>
#include <cctype>

#include "assembler/aarch64/aarch64.h"

namespace cyclescope::assembler::aarch64 {
namespace {

using enum RegisterFile;

constexpr auto kClassFiles = std::to_array<ClassFile>({
    {"GPR32all", kGeneral, 32},
    {"GPR64all", kGeneral, 64},
    {"WSeqPairsClass", kGeneral, 32, 2},
    {"XSeqPairsClass", kGeneral, 64, 2},
    {"GPR64x8Class", kGeneral, 64, 8},
    {"FPR8", kVector, 8},
    {"FPR16", kVector, 16},
    {"FPR32", kVector, 32},
    {"FPR64", kVector, 64},
    {"FPR128", kVector, 128},
    {"DD", kVector, 64, 2},
    {"DDD", kVector, 64, 3},
    {"DDDD", kVector, 64, 4},
    {"QQ", kVector, 128, 2},
    {"QQQ", kVector, 128, 3},
    {"QQQQ", kVector, 128, 4},
    {"ZPR", kVector, 128},
    {"ZPR2", kVector, 128, 2},
    {"ZPR3", kVector, 128, 3},
    {"ZPR4", kVector, 128, 4},
    {"ZPR2Strided", kVector, 128, 2, 8},
    {"ZPR4Strided", kVector, 128, 4, 4},
    {"PPR", kMask, 16},
    {"PNR", kMask, 16},
    {"PPR2", kMask, 16, 2},
    {"MPR", kTile, 0},
    {"MPR8", kTile, 0},
    {"MPR16", kTile, 0},
    {"MPR32", kTile, 0},
    {"MPR64", kTile, 0},
    {"MPR128", kTile, 0},
});

constexpr auto kSingleRegisters = std::to_array<SingleRegister>({
    {"NZCV", {kFlags, 0, 4}, "flags"},
    {"SP", {kGeneral, 31, 64}, "sp"},
    {"WSP", {kGeneral, 31, 32}, "wsp"},
    {"XZR", {kZero, 31, 64}, "xzr"},
    {"WZR", {kZero, 31, 32}, "wzr"},
    {"FP", {kGeneral, 29, 64}, "x29"},
    {"LR", {kGeneral, 30, 64}, "x30"},
    {"FPCR", {kControl, 0, 64}, "fpcr"},
    {"FPMR", {kControl, 1, 64}, "fpmr"},
    {"FFR", {kControl, 2, 16}, "ffr"},
    {"VG", {kControl, 3, 64}, "vg"},
});

constexpr auto kExtraMnemonics = std::to_array<std::string_view>({
    "asr",   "bfi",  "bfxil", "cinc",   "cinv",  "cmn",  "cmp",   "cneg",  "cset",  "csetm",
    "lsl",   "lsr",  "mneg",  "mov",    "mul",   "mvn",  "neg",   "negs",  "ngc",   "nop",
    "ror",   "sbfx", "sev",   "sevl",   "smull", "sxtb", "sxth",  "sxtw",  "sxtl",  "tst",
    "ubfiz", "ubfx", "umull", "umnegl", "uxtb",  "uxth", "uxtl",  "wfe",   "wfi",   "yield",
    "dc",    "ic",   "at",    "tlbi",   "csdb",  "ssbb", "pssbb", "stadd", "stclr", "steor",
});

constexpr auto kGeneralOrder =
    std::to_array<std::uint8_t>({0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30});

// A vector register is v0 where the text says v0.4s, and q0, d0 or s0 where it says that.
std::string OperandName(const Instruction& instruction, const Operand& operand, std::string name) {
  if (operand.reg.file != kVector) return name;
  std::string as_vector = name;
  for (char& c : as_vector) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) c = 'v';
  }
  const std::string first = as_vector.substr(0, as_vector.find('-'));
  return instruction.text.find(first + ".") == std::string::npos ? name : as_vector;
}

std::optional<Misreading> FindMisreading(const Instruction& /*instruction*/) {
  return std::nullopt;
}

// Extensions for the kernel have no word of ours, so that all count but those that are none: one
// stands for all the others, one changes how text is read.
bool IsExtension(std::string_view feature) {
  return feature != "all" && feature != "no-neg-immediates";
}

constexpr auto kRegisterOrders = std::to_array<RegisterOrder>({{kGeneral, kGeneralOrder}});

// Compilers write a condition with or without the dot.
Flow FlowOf(std::string_view mnemonic, std::string_view /*operands*/) {
  constexpr auto kConditional = std::to_array<std::string_view>(
      {"bcc", "bcs", "beq", "bge", "bgt", "bhi", "bhs", "ble",  "blo", "bls",
       "blt", "bmi", "bne", "bpl", "bvc", "bvs", "cbz", "cbnz", "tbz", "tbnz"});
  if (mnemonic == "b" || mnemonic == "bal") return Flow::kJump;
  if (mnemonic.starts_with("b.") || mnemonic.starts_with("bc.") ||
      std::ranges::find(kConditional, mnemonic) != kConditional.end())
    return Flow::kConditional;
  if (mnemonic == "bl" || mnemonic.starts_with("blr")) return Flow::kCall;
  if (mnemonic.starts_with("br") && mnemonic != "brk") return Flow::kIndirect;
  const bool ends = mnemonic.starts_with("ret") || mnemonic.starts_with("eret") ||
                    mnemonic == "brk" || mnemonic == "udf";
  return ends ? Flow::kEnd : Flow::kOn;
}

}  // namespace

// A rule that is left out must not compile.
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wmissing-field-initializers"
const Rules& GetRules() {
  static constexpr Rules kRules{.class_files = kClassFiles,
                                .single_registers = kSingleRegisters,
                                .stack_pointer = "SP",
                                .high_bytes = {},
                                .least_length = 4,
                                .general_registers = 0x7fffffff,
                                .has_att_syntax = false,
                                .equal_is_pool = true,
                                .slash_is_a_part = true,
                                .comment_sign = "//",
                                .flow = FlowOf,
                                .jump = "b",
                                .byte_mark = "213,3,32,31",
                                .operand_name = OperandName,
                                .misreading = FindMisreading,
                                .prefixes = {},
                                .extra_mnemonics = kExtraMnemonics,
                                .refine = Refine,
                                .memory_access = AccessOf,
                                .element_bits = ElementBits,
                                .scale_address = ScaleAddress,
                                .value_sets = ValueSets,
                                .reload = Reload,
                                .keep_encoding = nullptr,
                                .isa = nullptr,
                                .unmodelled = "",
                                .is_extension = IsExtension,
                                .without_extensions = "-neon,-fp-armv8",
                                .baseline = {},
                                .other_extensions = {},
                                .compilers_own = {},
                                .unreadable = {},
                                .immediates = ImmediatesFor,
                                .next_instruction = 1,
                                .register_orders = kRegisterOrders,
                                .add_address = AddAddress,
                                .has_variants = HasVariants};
  return kRules;
}
#pragma GCC diagnostic pop

}  // namespace cyclescope::assembler::aarch64
