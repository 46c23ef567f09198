#include <array>

#include "arch/headline_forms.h"

namespace cyclescope::arch {
namespace {

// Addresses that are only computed: with a displacement, an index, a scale, and relative to the
// instruction. Then numbers that are too large to be added at rename, conditions that two flags
// decide, and the high bytes of registers.
constexpr auto kVariants = std::to_array<std::string_view>({
    "lea rbx, [rsi + 64]",
    "lea rbx, [rsi + 1024]",
    "lea rbx, [rsi + rdi]",
    "lea rbx, [rsi + rdi + 64]",
    "lea rax, [rbx + 8*rcx]",
    "lea rax, [rbx + 8*rcx + 16]",
    "lea rbx, [4*rsi + 64]",
    "lea rbx, [rip + 64]",
    "lea ebx, [rsi + rdi]",
    "lea ebx, [rsi + rdi + 64]",
    "lea ebx, [rsi + 4*rdi]",
    "lea ebx, [rsi + 4*rdi + 64]",
    "lea ebx, [4*rsi + 64]",
    "lea ebx, [rip + 64]",
    "add rbx, 1024",
    "add rax, 1024",
    "sub rbx, 1024",
    "sub rax, 1024",
    "cmova rbx, rsi",
    "cmovbe rbx, rsi",
    "cmova ebx, esi",
    "cmovbe ebx, esi",
    "seta bl",
    "setbe bl",
    "and bh, 5",
    "or bh, 5",
    "test bh, 5",
    "cmp bh, 5",
    "mov bl, ch",
    "mov bh, cl",
    "movzx ebx, ch",
});

}  // namespace

std::span<const std::string_view> FormVariants() { return kVariants; }

}  // namespace cyclescope::arch
