// The forms that stand for AArch64.
#include "arch/headline_forms.h"

#include <array>

namespace cyclescope::arch {
namespace {

constexpr auto kForms = std::to_array<HeadlineForm>({
    {"integer", "mov x0, x1"},
    {"integer", "add x0, x1, x2", "add"},
    {"integer", "add x0, x1, x2, lsl #3"},
    {"integer", "adds x0, x1, x2"},
    {"integer", "and x0, x1, x2"},
    {"integer", "lsl x0, x1, x2"},
    {"integer", "csel x0, x1, x2, eq"},
    {"integer", "clz x0, x1"},
    {"multiply", "mul x0, x1, x2", "multiply"},
    {"multiply", "madd x0, x1, x2, x3"},
    {"multiply", "umulh x0, x1, x2"},
    {"divide", "sdiv w0, w1, w2"},
    {"divide", "sdiv x0, x1, x2"},
    {"divide", "udiv x0, x1, x2", "divide"},
    {"load", "ldr x0, [x1]", "load"},
    {"load", "ldr x0, [x1, x2, lsl #3]"},
    {"load", "ldp x0, x1, [x2]"},
    {"load", "ldr q0, [x1]"},
    {"load", "ldar x0, [x1]"},
    {"store", "str x0, [x1]"},
    {"store", "stp x0, x1, [x2]"},
    {"store", "str q0, [x1]"},
    {"store", "stlr x0, [x1]"},
    {"atomic", "ldadd x0, x1, [x2]"},
    {"atomic", "ldaddal x0, x1, [x2]", "atomic add"},
    {"atomic", "swpal x0, x1, [x2]"},
    {"atomic", "casal x0, x1, [x2]"},
    {"floating point", "fadd d0, d1, d2", "FP add"},
    {"floating point", "fmul d0, d1, d2", "FP multiply"},
    {"floating point", "fmadd d0, d1, d2, d3", "fma"},
    {"floating point", "fdiv s0, s1, s2"},
    {"floating point", "fdiv d0, d1, d2"},
    {"floating point", "fsqrt d0, d1"},
    {"floating point", "fcmp d0, d1"},
    {"vector", "add v0.4s, v1.4s, v2.4s"},
    {"vector", "mul v0.4s, v1.4s, v2.4s"},
    {"vector", "tbl v0.16b, {v1.16b}, v2.16b"},
    {"vector", "addv s0, v1.4s"},
    {"vector", "fadd v0.4s, v1.4s, v2.4s"},
    {"vector", "fmla v0.4s, v1.4s, v2.4s"},
    {"vector", "fdiv v0.2d, v1.2d, v2.2d"},
    {"vector", "sdot v0.4s, v1.16b, v2.16b"},
    {"vector", "bfmmla v0.4s, v1.8h, v2.8h"},
    {"vector", "add z0.s, z1.s, z2.s"},
    {"vector", "fmla z0.s, p0/m, z1.s, z2.s"},
    {"crypto", "aese v0.16b, v1.16b"},
    {"crypto", "aesmc v0.16b, v1.16b"},
    {"crypto", "sha256h q0, q1, v2.4s"},
    {"crypto", "pmull v0.1q, v1.1d, v2.1d"},
    {"crypto", "crc32x w0, w1, x2"},
    {"conversion", "scvtf d0, x1"},
    {"conversion", "fcvtzs x0, d1"},
    {"conversion", "fcvt d0, s1"},
    {"between register files", "fmov d0, x1"},
    {"between register files", "fmov x0, d1"},
    {"between register files", "umov w0, v1.s[1]"},
    {"fence", "dmb ish", "fence"},
    {"fence", "dsb ish"},
    {"fence", "isb"},
    {"relax", "yield"},
});

constexpr auto kSnippets = std::to_array<HeadlineSnippet>({
    {"b next; nop; nop; nop; next:"},
    {"cbnz x0, next; nop; nop; nop; nop; nop; nop; nop; next:"},
    {"cbz x0, next; next:"},
    {"bl callee; b next; nop; nop; callee: ret; nop; nop; nop; next:"},
    {"str x0, [x1]; ldr x0, [x1]", "", "store to load"},
    {"str q0, [x1]; ldr q0, [x1]"},
});

// A Neoverse V1 drops nop before it takes a slot. It renames six general and six vector registers
// in a cycle, so that loads and additions get into each other's way: a prefetch, which writes none,
// stands for all loads. What writes flags, and what goes from vector to general registers, is
// limited by more than ports.
constexpr auto kPortForms = std::to_array<std::string_view>({
    "yield",
    "add x0, x1, x2",
    "eor x0, x1, x2",
    "add x0, x1, x2, asr #3",
    "ror x0, x1, x2",
    "ubfx x0, x1, #3, #7",
    "bfi x0, x1, #3, #7",
    "rbit x0, x1",
    "clz x0, x1",
    "csel x0, x1, x2, eq",
    "mul x0, x1, x2",
    "umulh x0, x1, x2",
    "crc32x w0, w1, x2",
    "prfm pldl1keep, [x0]",
    "ldr q0, [x1]",
    "ldr x0, [x1]",
    "ldrb w0, [x1]",
    "str x0, [x1]",
    "add v0.4s, v1.4s, v2.4s",
    "eor v0.16b, v1.16b, v2.16b",
    "cmeq v0.4s, v1.4s, v2.4s",
    "smax v0.4s, v1.4s, v2.4s",
    "shl v0.4s, v1.4s, #3",
    "sshl v0.4s, v1.4s, v2.4s",
    "sshr v0.4s, v1.4s, #3",
    "mul v0.4s, v1.4s, v2.4s",
    "saddlp v0.2d, v1.4s",
    "addv s0, v1.4s",
    "sdot v0.4s, v1.16b, v2.16b",
    "zip1 v0.4s, v1.4s, v2.4s",
    "ext v0.16b, v1.16b, v2.16b, #3",
    "tbl v0.16b, {v1.16b}, v2.16b",
    "rev64 v0.4s, v1.4s",
    "cnt v0.16b, v1.16b",
    "fadd v0.4s, v1.4s, v2.4s",
    "fmul v0.4s, v1.4s, v2.4s",
    "fmax v0.4s, v1.4s, v2.4s",
    "fmla v0.4s, v1.4s, v2.4s",
    "fadd d0, d1, d2",
    "pmul v0.16b, v1.16b, v2.16b",
    "fcvt d0, s1",
    "frintz d0, d1",
    "fcmp d0, d1",
    "aese v0.16b, v1.16b",
    "pmull v0.1q, v1.1d, v2.1d",
    "add z0.s, z1.s, z2.s",
    "mul z0.s, p0/m, z0.s, z1.s",
    "and p0.b, p1/z, p2.b, p3.b",
});

}  // namespace

std::span<const std::string_view> PortForms() { return kPortForms; }

std::span<const HeadlineForm> HeadlineForms() { return kForms; }

std::span<const HeadlineSnippet> HeadlineSnippets() { return kSnippets; }

}  // namespace cyclescope::arch
