#include "arch/front_end_code.h"

#include <fmt/core.h>

#include "arch/kernel_parts.h"

namespace cyclescope::arch {
namespace {

// rax: the generator's state; rbx: its factor; rcx: the random word; rsi, rdi: what of it is kept
// and flipped; rdx: the target of an indirect jump.
constexpr std::uint64_t kFactor = 6364136223846793005;  // D. E. Knuth, MMIX

void Append32(std::int64_t value, std::vector<std::uint8_t>& bytes) {
  for (int shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<std::uint8_t>(value >> shift));
}

std::vector<std::uint8_t> WithDistance(std::vector<std::uint8_t> opcode, std::int64_t distance) {
  Append32(distance, opcode);
  return opcode;
}

// Golden Cove has five ports for arithmetic, of which three are for vectors too, and three for
// loads, and dispatches six: no mix of these needs more than four, two and three of them.
const std::vector<StraightMix>& Mixes() {
  static const std::vector<StraightMix> mixes = {
      {"lea, load, paddd",
       {"lea rcx, [rsi + rsi]", "mov r8, [r14 + 64]", "paddd xmm0, xmm7", "lea rdx, [rsi + rsi]",
        "mov r9, [r14 + 8]", "lea rbx, [rsi + rsi]"},
       4},
      {"mov immediate, load",
       {"mov rcx, 0x12345678", "mov r8, [r14 + 0x400]", "mov rdx, 0x12345678",
        "mov rbx, 0x12345678", "mov r9, [r14 + 0x480]", "mov rax, 0x12345678"},
       7},
      // The decoders need long for a prefix that changes how long the instruction is, which code that
      // is kept decoded does not show (Intel's optimization manual, "Length-changing prefixes").
      {"lea, load, paddd, test with a length-changing prefix",
       {"lea rcx, [rsi + rsi]", "mov r8, [r14 + 64]", "paddd xmm0, xmm7", "lea rdx, [rsi + rsi]",
        "mov r9, [r14 + 8]", "lea rbx, [rsi + rsi]", "paddd xmm1, xmm7", "test ax, 0x1234"},
       4},
      {"nop", {"nop dword ptr [rax + 64]"}, 4},
  };
  return mixes;
}

}  // namespace

std::span<const StraightMix> StraightMixes() { return Mixes(); }

std::string_view StraightSetUpText() { return "xor esi, esi\npxor xmm7, xmm7\n"; }

std::vector<std::uint8_t> JumpCode(std::int64_t distance) { return WithDistance({0xe9}, distance); }
std::vector<std::uint8_t> CallCode(std::int64_t distance) { return WithDistance({0xe8}, distance); }

std::string_view FunctionBeginText() { return ""; }
std::string_view FunctionEndText() { return "ret\n"; }

std::vector<std::uint8_t> JumpIfBitCode(int bit, std::int64_t distance) {
  return WithDistance({0x48, 0x0f, 0xba, 0xe1, static_cast<std::uint8_t>(bit),  // bt rcx, bit
                       0x0f, 0x82},                                             // jc
                      distance);
}

std::vector<std::uint8_t> TargetCode(std::int64_t distance) {
  return WithDistance({0x48, 0x8d, 0x15}, distance);  // lea rdx, [rip + distance]
}
std::string_view IndirectJumpText() { return "jmp rdx\n"; }

std::string SetUpRandomText(const RandomWords& words) {
  return SetGeneralText(0, words.seed) + "xor rax, [r14]\n" + SetGeneralText(3, kFactor) +
         SetGeneralText(6, words.kept) + SetGeneralText(7, words.flipped);
}

// The lower bits of the state repeat soon; with the upper ones over them they do not.
std::string_view NextRandomText() {
  return "imul rax, rbx\nadd rax, 1\nmov rcx, rax\nshr rcx, 32\nxor rcx, rax\nand rcx, rsi\n"
         "xor rcx, rdi\n";
}
std::string_view KeepRandomText() { return "mov [r14], rax\n"; }

}  // namespace cyclescope::arch
