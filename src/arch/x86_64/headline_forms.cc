// The forms that stand for x86-64.
#include "arch/headline_forms.h"

#include <array>

namespace cyclescope::arch {
namespace {

constexpr auto kForms = std::to_array<HeadlineForm>({
    {"integer", "mov rax, rbx"},
    {"integer", "add rax, rbx", "add"},
    {"integer", "adc rax, rbx"},
    {"integer", "and rax, rbx"},
    {"integer", "lea rax, [rbx + 8*rcx + 16]"},
    {"integer", "shl rax, cl"},
    {"integer", "cmovb rax, rbx"},
    {"integer", "popcnt rax, rbx"},
    {"integer", "pext rax, rbx, rcx"},
    {"multiply", "imul rax, rbx", "multiply"},
    {"multiply", "mul rbx"},
    {"multiply", "mulx rax, rbx, rcx"},
    {"divide", "div ecx"},
    {"divide", "div rcx", "divide"},
    {"divide", "idiv rcx"},
    {"load", "mov rax, [rbx]", "load"},
    {"load", "mov rax, [rbx + 8*rcx]"},
    {"load", "movzx eax, byte ptr [rbx]"},
    {"load", "movdqu xmm0, [rax]"},
    {"load", "vmovdqu ymm0, [rax]"},
    {"store", "mov [rax], rbx"},
    {"store", "movdqu [rax], xmm0"},
    {"store", "add [rax], rbx"},
    {"atomic", "xchg [rax], rbx"},
    {"atomic", "lock add [rax], rbx", "locked add"},
    {"atomic", "lock xadd [rax], rbx"},
    {"atomic", "lock cmpxchg [rbx], rcx"},
    {"floating point", "addsd xmm0, xmm1", "FP add"},
    {"floating point", "mulsd xmm0, xmm1", "FP multiply"},
    {"floating point", "vfmadd231sd xmm0, xmm1, xmm2", "fma"},
    {"floating point", "divss xmm0, xmm1"},
    {"floating point", "divsd xmm0, xmm1"},
    {"floating point", "sqrtsd xmm0, xmm1"},
    {"floating point", "comisd xmm0, xmm1"},
    {"vector", "paddd xmm0, xmm1"},
    {"vector", "pmulld xmm0, xmm1"},
    {"vector", "pshufb xmm0, xmm1"},
    {"vector", "vpaddd ymm0, ymm1, ymm2"},
    {"vector", "vpermd ymm0, ymm1, ymm2"},
    {"vector", "vaddpd ymm0, ymm1, ymm2"},
    {"vector", "vfmadd231pd ymm0, ymm1, ymm2"},
    {"vector", "vdivpd ymm0, ymm1, ymm2"},
    {"vector", "vpaddd zmm0, zmm1, zmm2"},
    {"vector", "vpdpbusd zmm0, zmm1, zmm2"},
    {"vector", "vfmadd231pd zmm0, zmm1, zmm2"},
    {"crypto", "aesenc xmm0, xmm1"},
    {"crypto", "sha256rnds2 xmm1, xmm2"},
    {"crypto", "pclmulqdq xmm0, xmm1, 0"},
    {"crypto", "crc32 rax, rbx"},
    {"conversion", "cvtsi2sd xmm0, rax"},
    {"conversion", "cvttsd2si rax, xmm0"},
    {"conversion", "cvtss2sd xmm0, xmm1"},
    {"between register files", "movq xmm0, rax"},
    {"between register files", "movq rax, xmm0"},
    {"between register files", "pextrq rax, xmm0, 1"},
    {"between register files", "pmovmskb eax, xmm0"},
    {"fence", "mfence", "fence"},
    {"fence", "lfence"},
    {"fence", "sfence"},
    {"relax", "pause"},
});

// Never executed. Branches that stand close together cost more than they are: on Redwood Cove a
// call, its return and the jump take 14 cycles within 12 bytes, 5.9 within 28, 5.4 within 48, 4.7
// within 68 and 3.3 within 128 or 248; such a jump alone takes 1.0.
#define TEN_BYTES "movabs rax, 1; "
#define SIXTY_BYTES TEN_BYTES TEN_BYTES TEN_BYTES TEN_BYTES TEN_BYTES TEN_BYTES

constexpr auto kSnippets = std::to_array<HeadlineSnippet>({
    {"jmp next; nop; nop; nop; nop; nop; nop; next:"},
    {"test rax, rax; jne next; nop; nop; nop; nop; next:"},
    {"test rax, rax; je next; next:"},
    {"call callee; jmp next; (60 bytes) callee: ret; (60 bytes) next:",
     "call callee; jmp next; " SIXTY_BYTES "callee: ret; " SIXTY_BYTES "next:"},
    {"mov [rbx], rax; mov rax, [rbx]", "", "store to load"},
    {"movdqu [rbx], xmm0; movdqu xmm0, [rbx]"},
});

constexpr auto kPortForms = std::to_array<std::string_view>({
    "nop dword ptr [rax + 8]",  // the caches of decoded code hold few instructions of one byte
    "add rax, rbx",
    "and rax, rbx",
    "shl rax, 3",
    "rorx rax, rbx, 7",
    "shlx rax, rbx, rcx",
    "bts rax, 5",
    "setb al",
    "cmovb rax, rbx",
    "lea rax, [rbx + 8*rcx]",
    "lea rax, [rbx + 8*rcx + 16]",
    "imul rax, rbx, 7",
    "popcnt rax, rbx",
    "crc32 rax, rbx",
    "pdep rax, rbx, rcx",
    "andn rax, rbx, rcx",
    "blsr rax, rbx",
    "mov rax, [rbx]",
    "movzx eax, byte ptr [rbx]",
    "vmovdqu xmm0, [rax]",
    "mov [rax], rbx",
    "vpaddd xmm0, xmm1, xmm2",
    "vpand xmm0, xmm1, xmm2",
    "vpcmpeqd xmm0, xmm1, xmm2",
    "vpmaxsd xmm0, xmm1, xmm2",
    "vpslld xmm0, xmm1, 3",
    "vpsllvd xmm0, xmm1, xmm2",
    "vpmulld xmm0, xmm1, xmm2",
    "vpmuludq xmm0, xmm1, xmm2",
    "vpshufd xmm0, xmm1, 27",
    "vpshufb xmm0, xmm1, xmm2",
    "vinsertps xmm0, xmm1, xmm2, 5",
    "vpalignr xmm0, xmm1, xmm2, 3",
    "vpunpckldq xmm0, xmm1, xmm2",
    "vblendps xmm0, xmm1, xmm2, 5",
    "vaddpd xmm0, xmm1, xmm2",
    "vmulpd xmm0, xmm1, xmm2",
    "vmaxpd xmm0, xmm1, xmm2",
    "vshufps xmm0, xmm1, xmm2, 27",
    "vfmadd231pd xmm0, xmm1, xmm2",
    "vcvtdq2ps xmm0, xmm1",
    "vaesenc xmm0, xmm1, xmm2",
    "vpclmulqdq xmm0, xmm1, xmm2, 0",
    "vpsadbw xmm0, xmm1, xmm2",
    "kandw k1, k2, k3",  // with adds it loses less time than the next, which writes their registers
    "vmovmskps eax, xmm0",
    "vmovd xmm0, eax",
    "vmovdqu ymm0, [rax]",
    "vpaddd ymm0, ymm1, ymm2",
    "vpshufb ymm0, ymm1, ymm2",
    "vaddpd ymm0, ymm1, ymm2",
    "vmulpd ymm0, ymm1, ymm2",
    "vpaddd zmm0, zmm1, zmm2",
    "vaddpd zmm0, zmm1, zmm2",
    "vpermd zmm0, zmm1, zmm2",
    "kaddw k1, k2, k3",
    "kshiftrw k1, k2, 3",
});

}  // namespace

std::span<const std::string_view> PortForms() { return kPortForms; }

std::span<const HeadlineForm> HeadlineForms() { return kForms; }

std::span<const HeadlineSnippet> HeadlineSnippets() { return kSnippets; }

}  // namespace cyclescope::arch
