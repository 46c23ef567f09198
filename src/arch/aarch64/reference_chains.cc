// The chains whose length in cycles is known, on AArch64.
#include <array>

#include "arch/architecture.h"
#include "arch/chain_function.h"

namespace cyclescope::arch {
namespace {

#define COUNT_DOWN "subs %[loops], %[loops], #1\n\tb.ne 0b"
CYCLESCOPE_CHAIN_FUNCTION(RunAdd, std::uint64_t, "r", 0x9e3779b97f4a7c15, 0,
                          "add %[value], %[value], %[value]", COUNT_DOWN)
CYCLESCOPE_CHAIN_FUNCTION(RunMultiply, std::uint64_t, "r", 0x9e3779b97f4a7c15, 0,
                          "mul %[value], %[value], %[value]", COUNT_DOWN)
// Times 1, so that the value stays what it is.
CYCLESCOPE_CHAIN_FUNCTION(RunFloatMultiply, double, "w", 1.5, 1.0,
                          "fmul %d[value], %d[value], %d[other]", COUNT_DOWN)
#undef COUNT_DOWN

constexpr std::array<ReferenceChain, 3> kChains = {{
    {"add x0, x0, x0", 1, 1, kChainLinksPerLoop, RunAdd},
    {"mul x0, x0, x0", 2, 6, kChainLinksPerLoop, RunMultiply},
    {"fmul d0, d0, d1", 2, 8, kChainLinksPerLoop, RunFloatMultiply},
}};

}  // namespace

std::span<const ReferenceChain> ReferenceChains() { return kChains; }

void RunWideLoop(std::uint64_t loops) {
  asm volatile(
      ".p2align 6\n0:\n\t"
      ".rept 8\n\t"
      ".irp n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13\n\t"
      "add x\\n, x\\n, x\\n\n\t"
      ".endr\n\t"
      ".endr\n\t"
      "subs %[loops], %[loops], #1\n\t"
      "b.ne 0b"
      : [loops] "+r"(loops)
      :
      : "cc", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13");
}

}  // namespace cyclescope::arch
