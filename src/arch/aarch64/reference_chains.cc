// The chains whose length in cycles is known, on AArch64.
#include <array>

#include "arch/architecture.h"
#include "arch/chain_function.h"

namespace cyclescope::arch {
namespace {

#define COUNT_DOWN "subs %[loops], %[loops], #1\n\tb.ne 0b"

CYCLESCOPE_CHAIN_FUNCTION(RunAdd, "add %[value], %[value], %[value]", COUNT_DOWN)
CYCLESCOPE_CHAIN_FUNCTION(RunExclusiveOr, "eor %[value], %[value], %[other]", COUNT_DOWN)
CYCLESCOPE_CHAIN_FUNCTION(RunMultiply, "mul %[value], %[value], %[value]", COUNT_DOWN)

#undef COUNT_DOWN

constexpr std::array<ReferenceChain, 3> kChains = {{
    {"add x0, x0, x0", 1, 1, kChainLinksPerLoop, RunAdd},
    {"eor x0, x0, x1", 1, 1, kChainLinksPerLoop, RunExclusiveOr},
    {"mul x0, x0, x0", 2, 6, kChainLinksPerLoop, RunMultiply},
}};

}  // namespace

std::span<const ReferenceChain> ReferenceChains() { return kChains; }

}  // namespace cyclescope::arch
