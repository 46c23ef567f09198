#include "arch/front_end_code.h"

#include <fmt/core.h>

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
  return WordBytes(0x37000000 | (number >> 5) << 31 | (number & 31) << 19 |
                   Field(distance, 14, 5) | 11);
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
