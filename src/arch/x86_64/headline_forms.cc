// The forms that stand for x86-64.
#include "arch/headline_forms.h"

#include <array>

namespace cyclescope::arch {
namespace {

constexpr auto kForms = std::to_array<HeadlineForm>({
    {"integer", "mov rax, rbx"},
    {"integer", "add rax, rbx"},
    {"integer", "adc rax, rbx"},
    {"integer", "and rax, rbx"},
    {"integer", "lea rax, [rbx + 8*rcx + 16]"},
    {"integer", "shl rax, cl"},
    {"integer", "cmovb rax, rbx"},
    {"integer", "popcnt rax, rbx"},
    {"integer", "pext rax, rbx, rcx"},
    {"multiply", "imul rax, rbx"},
    {"multiply", "mul rbx"},
    {"multiply", "mulx rax, rbx, rcx"},
    {"divide", "div ecx"},
    {"divide", "div rcx"},
    {"divide", "idiv rcx"},
    {"load", "mov rax, [rbx]"},
    {"load", "mov rax, [rbx + 8*rcx]"},
    {"load", "movzx eax, byte ptr [rbx]"},
    {"load", "movdqu xmm0, [rax]"},
    {"load", "vmovdqu ymm0, [rax]"},
    {"store", "mov [rax], rbx"},
    {"store", "movdqu [rax], xmm0"},
    {"store", "add [rax], rbx"},
    {"atomic", "xchg [rax], rbx"},
    {"atomic", "lock add [rax], rbx"},
    {"atomic", "lock xadd [rax], rbx"},
    {"atomic", "lock cmpxchg [rbx], rcx"},
    {"floating point", "addsd xmm0, xmm1"},
    {"floating point", "mulsd xmm0, xmm1"},
    {"floating point", "vfmadd231sd xmm0, xmm1, xmm2"},
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
    {"fence", "mfence"},
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
    {"mov [rbx], rax; mov rax, [rbx]"},
    {"movdqu [rbx], xmm0; movdqu xmm0, [rbx]"},
});

}  // namespace

std::span<const HeadlineForm> HeadlineForms() { return kForms; }

std::span<const HeadlineSnippet> HeadlineSnippets() { return kSnippets; }

}  // namespace cyclescope::arch
