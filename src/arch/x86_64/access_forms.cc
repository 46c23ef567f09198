#include "arch/access_forms.h"

#include <array>

namespace cyclescope::arch {
namespace {

constexpr auto kAccessForms = std::to_array<AccessForm>({
    {1, false, "mov byte ptr [rbx], al", "movzx eax, byte ptr [rbx + {}]"},
    {2, false, "mov word ptr [rbx], ax", "movzx eax, word ptr [rbx + {}]"},
    {4, false, "mov dword ptr [rbx], eax", "mov eax, dword ptr [rbx + {}]"},
    {8, false, "mov qword ptr [rbx], rax", "mov rax, qword ptr [rbx + {}]"},
    {8, true, "vmovq qword ptr [rbx], xmm0", "vmovq xmm0, qword ptr [rbx + {}]"},
    {16, true, "vmovdqu xmmword ptr [rbx], xmm0", "vmovdqu xmm0, xmmword ptr [rbx + {}]"},
    {32, true, "vmovdqu ymmword ptr [rbx], ymm0", "vmovdqu ymm0, ymmword ptr [rbx + {}]"},
    {64, true, "vmovdqu64 zmmword ptr [rbx], zmm0", "vmovdqu64 zmm0, zmmword ptr [rbx + {}]"},
});

}  // namespace

std::span<const AccessForm> AccessForms() { return kAccessForms; }

std::string_view AccessBase() { return "rbx"; }

}  // namespace cyclescope::arch
