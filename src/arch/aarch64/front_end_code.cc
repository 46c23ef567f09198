#include "arch/front_end_code.h"

#include "arch/kernel_parts.h"

namespace cyclescope::arch {
namespace {

// x9: the generator's state; x10: its factor; x11: the random word; x12, x13: what of it is kept
// and flipped; x14: the target of an indirect jump.
constexpr std::uint64_t kFactor = 6364136223846793005;  // D. E. Knuth, MMIX

std::vector<std::uint8_t> WordBytes(std::uint32_t word) {
  std::vector<std::uint8_t> bytes;
  for (int shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<std::uint8_t>(word >> shift));
  return bytes;
}

// Words from the branch itself to its target, `bits` of them, from bit `from` of the instruction on
// (Arm ARM, C4.1.65).
std::uint32_t Field(std::int64_t distance, int bits, int from) {
  const auto words = static_cast<std::uint32_t>(1 + distance / 4);
  return (words & ((std::uint32_t{1} << bits) - 1)) << from;
}

// Neoverse V1 has four ports for arithmetic, four for vectors and three for loads.
const std::vector<StraightMix>& Mixes() {
  static const std::vector<StraightMix> mixes = {
      {"add, load, vector add",
       {"add x1, x8, x8", "add v1.4s, v8.4s, v8.4s", "ldr x3, [x27]", "add x2, x8, x8",
        "add v2.4s, v8.4s, v8.4s", "add x4, x8, x8", "ldr x5, [x27, #64]",
        "add v3.4s, v8.4s, v8.4s"},
       4},
      {"add, vector add",
       {"add x1, x8, x8", "add v1.4s, v8.4s, v8.4s", "add x2, x8, x8", "add v2.4s, v8.4s, v8.4s",
        "add x3, x8, x8", "add v3.4s, v8.4s, v8.4s", "add x4, x8, x8", "add v4.4s, v8.4s, v8.4s"},
       4},
      {"nop", {"nop"}, 4},
  };
  return mixes;
}

}  // namespace

std::span<const StraightMix> StraightMixes() { return Mixes(); }

std::string_view StraightSetUpText() { return "mov x8, #0\nmovi v8.2d, #0\n"; }

std::vector<std::string_view> PortFillers(PortKind kind) {
  if (kind == PortKind::kVector)
    return {"add v1.4s, v8.4s, v8.4s", "add v2.4s, v8.4s, v8.4s", "add v3.4s, v8.4s, v8.4s",
            "add v4.4s, v8.4s, v8.4s", "add v5.4s, v8.4s, v8.4s"};
  return {"add x1, x8, x8", "add x2, x8, x8", "add x3, x8, x8", "add x4, x8, x8", "add x5, x8, x8"};
}

std::span<const EliminationCase> EliminationCases() {
  using enum PortKind;
  static const std::vector<EliminationCase> cases = {
      {"mov x, x", {"mov x6, x8", "mov x7, x8"}, kInteger},
      {"mov w, w", {"mov w6, w8", "mov w7, w8"}, kInteger},
      {"mov x, #0", {"mov x6, #0", "mov x7, #0"}, kInteger},
      {"mov x, #16", {"mov x6, #16", "mov x7, #16"}, kInteger},
      {"mov x, xzr", {"mov x6, xzr", "mov x7, xzr"}, kInteger},
      {"eor x, x, x (zero)", {"eor x6, x6, x6", "eor x7, x7, x7"}, kInteger},
      {"mov v, v", {"mov v6.16b, v8.16b", "mov v7.16b, v8.16b"}, kVector},
      {"fmov d, d", {"fmov d6, d8", "fmov d7, d8"}, kVector},
      {"movi v, #0", {"movi v6.2d, #0", "movi v7.2d, #0"}, kVector},
  };
  return cases;
}

// x8 is zero: none of the branches is taken.
std::span<const FusionCase> FusionCases() {
  static const std::vector<FusionCase> cases = {
      {"cmp x, #imm; b.eq", "cmp x8, #1", "b.eq 1f\n1:"},
      {"cmp x, x; b.eq", "cmp x8, x27", "b.eq 1f\n1:"},
      {"tst x, x; b.ne", "tst x8, x8", "b.ne 1f\n1:"},
      {"subs x, x, #imm; b.eq", "subs x6, x8, #1", "b.eq 1f\n1:"},
      {"cmp x, x; csel", "cmp x8, x27", "csel x6, x8, x27, eq"},
      {"nop; nop", "nop", "nop"},
      {"adrp; add", "adrp x6, #0", "add x6, x6, #16"},
      {"movz; movk", "movz x6, #1", "movk x6, #2, lsl #16"},
  };
  return cases;
}

std::vector<std::uint8_t> JumpCode(std::int64_t distance) {
  return WordBytes(0x14000000 | Field(distance, 26, 0));  // b
}
std::vector<std::uint8_t> CallCode(std::int64_t distance) {
  return WordBytes(0x94000000 | Field(distance, 26, 0));  // bl
}

std::string_view FunctionBeginText() { return "str x30, [sp, #-16]!\n"; }
std::string_view FunctionEndText() { return "ldr x30, [sp], #16\nret\n"; }

std::vector<std::uint8_t> JumpIfBitCode(int bit, std::int64_t distance) {
  const auto number = static_cast<std::uint32_t>(bit);
  // tbnz x11, #bit: the bit's highest digit is bit 31, the others begin at bit 19.
  return WordBytes(0x37000000 | (number >> 5) << 31 | (number & 31) << 19 | Field(distance, 14, 5) |
                   11);
}

std::vector<std::uint8_t> TargetCode(std::int64_t distance) {
  // adr x14: bytes from itself on, the lowest two at bit 29 (Arm ARM, C6.2, ADR).
  const auto bytes = static_cast<std::uint32_t>(4 + distance);
  return WordBytes(0x10000000 | (bytes & 3) << 29 | (bytes >> 2 & 0x7ffff) << 5 | 14);
}
std::string_view IndirectJumpText() { return "br x14\n"; }

std::string SetUpRandomText(const RandomWords& words) {
  return SetGeneralText(10, words.seed) + "ldr x9, [x27]\neor x9, x9, x10\n" +
         SetGeneralText(10, kFactor) + SetGeneralText(12, words.kept) +
         SetGeneralText(13, words.flipped);
}

// The lower bits of the state repeat soon; with the upper ones over them they do not.
std::string_view NextRandomText() {
  return "mul x9, x9, x10\nadd x9, x9, #1\neor x11, x9, x9, lsr #32\nand x11, x11, x12\n"
         "eor x11, x11, x13\n";
}
std::string_view KeepRandomText() { return "str x9, [x27]\n"; }

}  // namespace cyclescope::arch
