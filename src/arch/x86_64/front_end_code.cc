#include "arch/front_end_code.h"

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
      {"nop", {"nop dword ptr [rax + 64]"}, 4},
  };
  return mixes;
}

}  // namespace

std::span<const StraightMix> StraightMixes() { return Mixes(); }

std::string_view StraightSetUpText() { return "xor esi, esi\npxor xmm7, xmm7\n"; }

std::vector<std::string_view> PortFillers(PortKind kind) {
  // Vector units share their ports with integer ones on Intel's cores, not on AMD's.
  if (kind == PortKind::kVector)
    return {"paddd xmm0, xmm7", "paddd xmm3, xmm7", "paddd xmm4, xmm7", "paddd xmm5, xmm7",
            "paddd xmm6, xmm7"};
  // Not `lea`: a Skylake has it on two of its four ports, so that what runs on the other two would
  // seem to cost none.
  return {"mov ecx, 0x12345678", "mov edx, 0x12345678", "mov ebx, 0x12345678",
          "mov r8d, 0x12345678", "mov r9d, 0x12345678"};
}

std::span<const EliminationCase> EliminationCases() {
  using enum PortKind;
  static const std::vector<EliminationCase> cases = {
      {"mov r64, r64", {"mov r10, rsi", "mov r11, rsi"}, kInteger},
      {"mov r32, r32", {"mov r10d, esi", "mov r11d, esi"}, kInteger},
      {"movzx r32, r8", {"movzx r10d, sil", "movzx r11d, sil"}, kInteger},
      {"xor r32, r32 (zero)", {"xor r10d, r10d", "xor r11d, r11d"}, kInteger},
      {"sub r32, r32 (zero)", {"sub r10d, r10d", "sub r11d, r11d"}, kInteger},
      {"mov r32, 0", {"mov r10d, 0", "mov r11d, 0"}, kInteger},
      {"add r64, 1", {"add r10, 1", "add r11, 1"}, kInteger},
      {"inc r64", {"inc r10", "inc r11"}, kInteger},
      {"lea r64, [r64 + 1]", {"lea r10, [rsi + 1]", "lea r11, [rsi + 1]"}, kInteger},
      {"movaps xmm, xmm", {"movaps xmm1, xmm7", "movaps xmm2, xmm7"}, kVector},
      {"movdqa xmm, xmm", {"movdqa xmm1, xmm7", "movdqa xmm2, xmm7"}, kVector},
      {"pxor xmm, xmm (zero)", {"pxor xmm1, xmm1", "pxor xmm2, xmm2"}, kVector},
      {"xorps xmm, xmm (zero)", {"xorps xmm1, xmm1", "xorps xmm2, xmm2"}, kVector},
      {"pcmpeqd xmm, xmm (ones)", {"pcmpeqd xmm1, xmm1", "pcmpeqd xmm2, xmm2"}, kVector},
  };
  return cases;
}

// rsi and r10 are zero: none of the branches is taken.
std::span<const FusionCase> FusionCases() {
  static const std::vector<FusionCase> cases = {
      {"cmp r, imm; jcc", "cmp rsi, 1", "jz 1f\n1:"},
      {"cmp r, r; jcc", "cmp rsi, r14", "jz 1f\n1:"},
      {"cmp r, [m]; jcc", "cmp r14, [r14 + 128]", "jz 1f\n1:"},
      {"cmp [m], imm; jcc", "cmp qword ptr [r14 + 128], 1", "jz 1f\n1:"},
      {"test r, r; jcc", "test rsi, rsi", "jnz 1f\n1:"},
      {"add r, r; jcc", "add r10, rsi", "jc 1f\n1:"},
      {"sub r, r; jcc", "sub r10, rsi", "jnz 1f\n1:"},
      {"and r, r; jcc", "and r10, rsi", "jnz 1f\n1:"},
      {"inc r; jcc", "inc rbp", "jo 1f\n1:"},
      {"nop; nop", "nop dword ptr [rax + 64]", "nop dword ptr [rax + 64]"},
      {"mov r, r; add r, r", "mov r10, rsi", "add r10, rsi"},
  };
  return cases;
}

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
