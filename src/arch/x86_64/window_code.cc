#include "arch/window_code.h"

#include <fmt/core.h>

namespace cyclescope::arch {
namespace {

// r14: address of hot memory; r13: zero; rax, rbx: heads; rbp: the zero that waits. xmm8: sources
// of vector fillers, xmm9: the one that waits. None of the fillers writes one of these.
//
// `lea r, [r + 1]` and `add r, 1` fill no registers where the renamer executes them, as Golden
// Cove's does, and do on others: so `lea r, [r + 1]` stands among the fillers of the reorder buffer
// and may end with the registers. `cmp r, r` of one register may be an idiom.
const std::vector<WindowFiller>& Fillers() {
  using enum Window;
  static const std::vector<WindowFiller> fillers = {
      {kReorderBuffer, "nop", {"nop"}},
      {kReorderBuffer,
       "lea r, [r + 1]",
       {"lea rcx, [r13 + 1]", "lea rdx, [r13 + 1]", "lea rsi, [r13 + 1]", "lea rdi, [r13 + 1]"},
       {{kIntegerRegisters}}},
      {kReorderBuffer,
       "nop, lea r, [r + r], paddd x, x, jz, mov [m], r",
       {"nop", "lea rcx, [r13 + r13]", "paddd xmm0, xmm8", "nop", "lea rdx, [r13 + r13]",
        "paddd xmm1, xmm8", "nop", "jz 1f\n1:", "nop", "lea rsi, [r13 + r13]", "paddd xmm2, xmm8",
        "mov [r14 + 64], r13"},
       {{kIntegerRegisters, 3.0 / 12},
        {kVectorRegisters, 3.0 / 12},
        {kBranches, 1.0 / 12},
        {kStores, 1.0 / 12}}},
      {kIntegerRegisters,
       "lea r, [r + r]",
       {"lea rcx, [r13 + r13]", "lea rdx, [r13 + r13]", "lea rsi, [r13 + r13]",
        "lea rdi, [r13 + r13]", "lea r8, [r13 + r13]", "lea r9, [r13 + r13]",
        "lea r10, [r13 + r13]", "lea r11, [r13 + r13]"}},
      {kIntegerRegisters,
       "add r, r",
       {"add rcx, r13", "add rdx, r13", "add rsi, r13", "add rdi, r13", "add r8, r13",
        "add r9, r13", "add r10, r13", "add r11, r13"},
       {{kFlags}}},
      {kVectorRegisters,
       "paddd x, x",
       {"paddd xmm0, xmm8", "paddd xmm1, xmm8", "paddd xmm2, xmm8", "paddd xmm3, xmm8",
        "paddd xmm4, xmm8", "paddd xmm5, xmm8", "paddd xmm6, xmm8", "paddd xmm7, xmm8"}},
      {kVectorRegisters,
       "vaddpd y, y, y",
       {"vaddpd ymm0, ymm8, ymm8", "vaddpd ymm1, ymm8, ymm8", "vaddpd ymm2, ymm8, ymm8",
        "vaddpd ymm3, ymm8, ymm8", "vaddpd ymm4, ymm8, ymm8", "vaddpd ymm5, ymm8, ymm8"},
       {},
       "avx"},
      {kVectorRegisters,
       "vpaddd z, z, z",
       {"vpaddd zmm0, zmm8, zmm8", "vpaddd zmm1, zmm8, zmm8", "vpaddd zmm2, zmm8, zmm8",
        "vpaddd zmm3, zmm8, zmm8", "vpaddd zmm4, zmm8, zmm8", "vpaddd zmm5, zmm8, zmm8"},
       {},
       "avx512f"},
      {kFlags, "cmp r, r", {"cmp r13, r14"}},
      {kFlags, "test r, r", {"test r13, r14"}},
      {kMaskRegisters,
       "korw k, k, k",
       {"korw k1, k7, k6", "korw k2, k7, k6", "korw k3, k7, k6", "korw k4, k7, k6"},
       {},
       "avx512f"},
      {kLoads,
       "mov r, [m]",
       {"mov rcx, [r14]", "mov rdx, [r14 + 64]", "mov rsi, [r14 + 128]", "mov rdi, [r14 + 192]"},
       {{kIntegerRegisters}}},
      {kLoads,
       "movaps x, [m]",
       {"movaps xmm0, [r14]", "movaps xmm1, [r14 + 64]", "movaps xmm2, [r14 + 128]",
        "movaps xmm3, [r14 + 192]"},
       {{kVectorRegisters}}},
      {kStores, "mov [m], r", {"mov [r14 + 64], r13"}},
      {kStores, "movaps [m], x", {"movaps [r14 + 64], xmm8"}},
      {kBranches, "jz, not taken", {"jz 1f\n1:"}},
      {kBranches, "jz, not taken, nop", {"jz 1f\n1:\nnop"}},
      {kScheduler,
       "lea r, [r + r]",
       {"lea rcx, [rbp + r13]", "lea rdx, [rbp + r13]", "lea rsi, [rbp + r13]",
        "lea rdi, [rbp + r13]"},
       {{kIntegerRegisters}}},
      {kScheduler,
       "paddd x, x",
       {"paddd xmm0, xmm9", "paddd xmm1, xmm9", "paddd xmm2, xmm9", "paddd xmm3, xmm9"},
       {{kVectorRegisters}}},
      {kScheduler,
       "mov r, [m + r]",
       {"mov rcx, [r14 + rbp]", "mov rdx, [r14 + rbp + 64]", "mov rsi, [r14 + rbp + 128]",
        "mov rdi, [r14 + rbp + 192]"},
       {{kLoads}, {kIntegerRegisters}}},
      {kScheduler, "mov [m + r], r", {"mov [r14 + rbp + 64], r13"}, {{kStores}}},
  };
  return fillers;
}

}  // namespace

std::span<const WindowFiller> WindowFillers() { return Fillers(); }

std::string WindowSetUpText(std::uint64_t cursors) {
  return fmt::format(
      "movabs r12, {}\nmov rax, [r12]\nmov rbx, [r12 + 8]\nxor ebp, ebp\npxor xmm8, xmm8\n"
      "pxor xmm9, xmm9\ncmp r13, r14\n",
      static_cast<std::int64_t>(cursors));
}

std::string_view HeadText(int head) { return head == 0 ? "mov rax, [rax]" : "mov rbx, [rbx]"; }

// A multiplication by zero waits for its operand; `xor r, r` and `and r, 0` may not.
std::string_view WaitForHeadText(int head) {
  return head == 0 ? "imul rbp, rax, 0\nmovq xmm9, rbp" : "imul rbp, rbx, 0\nmovq xmm9, rbp";
}

std::string WindowEndText(std::uint64_t cursors) {
  return fmt::format("movabs r12, {}\nmov [r12], rax\nmov [r12 + 8], rbx\n",
                     static_cast<std::int64_t>(cursors));
}

std::string ChaseSetUpText(std::uint64_t cursors) {
  return fmt::format("movabs r12, {}\n", static_cast<std::int64_t>(cursors));
}

std::string ChaseStepText(int cursor) {
  return fmt::format("mov rcx, [r12 + {0}]\nmov rcx, [rcx]\nmov [r12 + {0}], rcx\n", 8 * cursor);
}

}  // namespace cyclescope::arch
