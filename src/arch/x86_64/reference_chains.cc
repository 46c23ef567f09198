// The chains whose length in cycles is known, on x86-64.
#include <array>

#include "arch/architecture.h"
#include "arch/chain_function.h"

namespace cyclescope::arch {
namespace {

#define COUNT_DOWN "dec %[loops]\n\tjnz 0b"

// Register to register only: Golden Cove and its successors resolve `add r, 1`, `inc` and `lea r,
// [r+1]` at rename, where they take 0.18 cycles. `xor r, r` of one register is a zeroing idiom, so
// that chain has a second register.
CYCLESCOPE_CHAIN_FUNCTION(RunAdd, "add %[value], %[value]", COUNT_DOWN)
CYCLESCOPE_CHAIN_FUNCTION(RunExclusiveOr, "xor %[other], %[value]", COUNT_DOWN)
CYCLESCOPE_CHAIN_FUNCTION(RunMultiply, "imul %[value], %[value]", COUNT_DOWN)

#undef COUNT_DOWN

constexpr std::array<ReferenceChain, 3> kChains = {{
    {"add rax, rax", 1, 1, kChainLinksPerLoop, RunAdd},
    {"xor rax, rcx", 1, 1, kChainLinksPerLoop, RunExclusiveOr},
    {"imul rax, rax", 3, 5, kChainLinksPerLoop, RunMultiply},
}};

}  // namespace

std::span<const ReferenceChain> ReferenceChains() { return kChains; }

}  // namespace cyclescope::arch
