// The chains whose length in cycles is known, on x86-64.
#include <array>

#include "arch/architecture.h"
#include "arch/chain_function.h"

namespace cyclescope::arch {
namespace {

#define COUNT_DOWN "dec %[loops]\n\tjnz 0b"
// Register to register only: Golden Cove and its successors resolve `add r, 1`, `inc` and `lea r,
// [r+1]` at rename, where they take 0.18 cycles.
CYCLESCOPE_CHAIN_FUNCTION(RunAdd, std::uint64_t, "r", 0x9e3779b97f4a7c15, 0,
                          "add %[value], %[value]", COUNT_DOWN)
CYCLESCOPE_CHAIN_FUNCTION(RunMultiply, std::uint64_t, "r", 0x9e3779b97f4a7c15, 0,
                          "imul %[value], %[value]", COUNT_DOWN)
// A floating-point multiply, and no add: Golden Cove has two kinds of adder, and a chain of adds
// takes 2 cycles a link in one state and 3 in another. Times 1, so that the value stays what it is.
CYCLESCOPE_CHAIN_FUNCTION(RunFloatMultiply, double, "x", 1.5, 1.0, "mulsd %[other], %[value]",
                          COUNT_DOWN)
#undef COUNT_DOWN

constexpr std::array<ReferenceChain, 3> kChains = {{
    {"add rax, rax", 1, 1, kChainLinksPerLoop, RunAdd},
    {"imul rax, rax", 3, 5, kChainLinksPerLoop, RunMultiply},
    {"mulsd xmm0, xmm1", 3, 7, kChainLinksPerLoop, RunFloatMultiply},
}};

}  // namespace

std::span<const ReferenceChain> ReferenceChains() { return kChains; }

void RunWideLoop(std::uint64_t loops) {
  asm volatile(
      ".p2align 6\n0:\n\t"
      ".rept 8\n\t"
      ".irp n, rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11, r12, r13, r14\n\t"
      "add %%\\n, %%\\n\n\t"
      ".endr\n\t"
      ".endr\n\t"
      "dec %[loops]\n\t"
      "jnz 0b"
      : [loops] "+r"(loops)
      :
      : "cc", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14");
}

}  // namespace cyclescope::arch
