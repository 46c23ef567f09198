#include <array>

#include "arch/headline_forms.h"

namespace cyclescope::arch {
namespace {

// Operands that are shifted or extended on the way: some cores do so in no time, as far as it is an
// index's, and take a cycle for others (Arm's optimization guides, "arithmetic, LSL shift").
constexpr auto kVariants = std::to_array<std::string_view>({
    "add x0, x1, x2, lsl #3",
    "add x0, x1, x2, lsl #12",
    "add x0, x1, x2, lsr #3",
    "add w0, w1, w2, lsl #3",
    "sub x0, x1, x2, lsl #3",
    "sub x0, x1, x2, lsl #12",
    "and x0, x1, x2, lsl #3",
    "orr x0, x1, x2, lsl #3",
    "eor x0, x1, x2, lsl #3",
    "cmp x1, x2, lsl #3",
});

}  // namespace

std::span<const std::string_view> FormVariants() { return kVariants; }

}  // namespace cyclescope::arch
