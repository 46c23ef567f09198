// Entering and leaving generated code on x86-64.
#include "arch/kernel_entry.h"

#include <cpuid.h>
#include <immintrin.h>
#include <linux/audit.h>
#include <ucontext.h>

#include <array>
#include <cstring>

extern "C" {

// Read by the assembly below.
[[gnu::visibility("hidden")]] extern std::uint64_t cyclescope_saved_fs_base;
[[gnu::visibility("hidden")]] extern std::uint8_t cyclescope_has_avx;
std::uint64_t cyclescope_saved_fs_base = 0;  // 0 where user space cannot write it
std::uint8_t cyclescope_has_avx = 0;

[[gnu::visibility("hidden")]] void cyclescope_enter_kernel(std::uintptr_t entry,
                                                           std::uint64_t loops,
                                                           std::uintptr_t scratch,
                                                           std::uintptr_t stack);
[[gnu::visibility("hidden")]] void cyclescope_leave_kernel();

}  // extern "C"

// The way out restores in the order in which things are needed: a stack first, since `popf` pops;
// then the flags, as the trap, alignment-check and direction flags concern every instruction that
// follows; then what only compiled code relies on. `fninit` empties the x87 stack, which also ends
// MMX state.
asm(R"(
    .intel_syntax noprefix
    .pushsection .bss
    .balign 64
saved_rsp:         .skip 8
saved_rbx:         .skip 8
saved_rbp:         .skip 8
saved_r12:         .skip 8
saved_r13:         .skip 8
saved_r14:         .skip 8
saved_r15:         .skip 8
saved_flags:       .skip 8
saved_mxcsr:       .skip 4
saved_x87_control: .skip 2
    .popsection

    .pushsection .text
    .globl cyclescope_enter_kernel
    .hidden cyclescope_enter_kernel
    .type cyclescope_enter_kernel, @function
    .balign 64
cyclescope_enter_kernel:
    endbr64
    mov [rip + saved_rsp], rsp
    mov [rip + saved_rbx], rbx
    mov [rip + saved_rbp], rbp
    mov [rip + saved_r12], r12
    mov [rip + saved_r13], r13
    mov [rip + saved_r14], r14
    mov [rip + saved_r15], r15
    pushfq
    pop qword ptr [rip + saved_flags]
    stmxcsr [rip + saved_mxcsr]
    fnstcw [rip + saved_x87_control]
    mov rsp, rcx
    mov rax, rdi
    mov rdi, rsi
    mov rsi, rdx
    xor ebx, ebx
    xor ecx, ecx
    xor edx, edx
    xor ebp, ebp
    xor r8d, r8d
    xor r9d, r9d
    xor r10d, r10d
    xor r11d, r11d
    xor r12d, r12d
    xor r13d, r13d
    xor r14d, r14d
    xor r15d, r15d
    jmp rax
    .size cyclescope_enter_kernel, . - cyclescope_enter_kernel

    .globl cyclescope_leave_kernel
    .hidden cyclescope_leave_kernel
    .type cyclescope_leave_kernel, @function
    .balign 64
cyclescope_leave_kernel:
    endbr64
    mov rsp, [rip + saved_rsp]
    push qword ptr [rip + saved_flags]
    popfq
    mov rbx, [rip + saved_rbx]
    mov rbp, [rip + saved_rbp]
    mov r12, [rip + saved_r12]
    mov r13, [rip + saved_r13]
    mov r14, [rip + saved_r14]
    mov r15, [rip + saved_r15]
    ldmxcsr [rip + saved_mxcsr]
    fninit
    fldcw [rip + saved_x87_control]
    mov rax, [rip + cyclescope_saved_fs_base]
    test rax, rax
    jz 1f
    wrfsbase rax
1:
    cmp byte ptr [rip + cyclescope_has_avx], 0
    je 2f
    vzeroupper
2:
    ret
    .size cyclescope_leave_kernel, . - cyclescope_leave_kernel
    .popsection
    .att_syntax prefix
)");

namespace cyclescope::arch {
namespace {

// jmp [rip + 0]; its last four bytes are the displacement.
constexpr std::array<std::uint8_t, 6> kJump = {0xff, 0x25, 0, 0, 0, 0};
constexpr std::size_t kDisplacementAt = 2;

constexpr std::array<std::uint8_t, 1> kBreakpoint = {0xcc};  // int3

// AT_HWCAP2: the kernel lets user space write the fs base (Linux, arch/x86/include/uapi/asm/
// hwcap2.h). Where it does not, generated code cannot either, but by loading a segment register.
constexpr std::uint64_t kFsGsBase = 1U << 1;

[[gnu::target("fsgsbase")]] std::uint64_t ReadFsBase() { return _readfsbase_u64(); }

}  // namespace

void PrepareKernelEntry(CapabilityWords capabilities) {
  cyclescope_saved_fs_base = (capabilities.second & kFsGsBase) != 0 ? ReadFsBase() : 0;
  cyclescope_has_avx = __builtin_cpu_supports("avx") ? 1 : 0;
}

void EnterKernel(std::uintptr_t entry, std::uint64_t loops, std::uintptr_t scratch,
                 std::uintptr_t stack) {
  cyclescope_enter_kernel(entry, loops, scratch, stack);
}

std::vector<std::uint8_t> ExitPad(std::size_t size) {
  // The address is aligned: the alignment-check flag may be set, and then even this jump would
  // fault on reading it.
  const std::uintptr_t exit = reinterpret_cast<std::uintptr_t>(&cyclescope_leave_kernel);
  const std::size_t gap = -(size + kJump.size()) % sizeof(exit);
  std::vector<std::uint8_t> pad(kJump.begin(), kJump.end());
  pad[kDisplacementAt] = static_cast<std::uint8_t>(gap);
  pad.resize(kJump.size() + gap + sizeof(exit), kBreakpoint[0]);
  std::memcpy(pad.data() + kJump.size() + gap, &exit, sizeof(exit));
  return pad;
}

std::size_t InstructionAlignment() { return 1; }

std::span<const std::uint8_t> Breakpoint() { return kBreakpoint; }

void SynchronizeCode(const void* /*begin*/, std::size_t /*size*/) {
  // Caches are coherent; what is left is to discard what the front end fetched before. Intel SDM
  // vol. 3, 9.1.3 (cross-modifying code) asks for a serialising instruction, and CPUID is one.
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  __cpuid(0, eax, ebx, ecx, edx);
}

void RestoreHandlerState() {
  // Linux clears the direction and trap flags and resets the floating-point state for a handler
  // (arch/x86/kernel/signal.c, handle_signal), but leaves the alignment-check flag, which is bit
  // 18. The first line steps over the red zone.
  asm volatile(
      "lea -128(%%rsp), %%rsp\n\t"
      "pushfq\n\t"
      "andl $0xfffbffff, (%%rsp)\n\t"
      "popfq\n\t"
      "lea 128(%%rsp), %%rsp"
      :
      :
      : "cc", "memory");
}

std::uint64_t ProgramCounter(const void* signal_context) {
  const auto* context = static_cast<const ucontext_t*>(signal_context);
  return static_cast<std::uint64_t>(context->uc_mcontext.gregs[REG_RIP]);
}

std::uint32_t SystemCallArchitecture() { return AUDIT_ARCH_X86_64; }

}  // namespace cyclescope::arch
