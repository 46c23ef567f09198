// Entering and leaving generated code on x86-64.
#include "arch/kernel_entry.h"

#include <cpuid.h>
#include <immintrin.h>

#include <array>
#include <cstddef>
#include <cstring>

namespace cyclescope::arch {
namespace {

// What the way in leaves for the way out, which finds it relative to the program counter: by a name
// of its own, since the code below is assembly.
struct alignas(64) KeptState {
  std::uint64_t rsp, rbx, rbp, r12, r13, r14, r15, flags;
  std::uint64_t fs_base;  // 0 where user space cannot write it
  std::uint64_t gs_base;  // likewise, and 0 where nothing is kept there
  std::uint32_t mxcsr;
  std::uint16_t x87_control;
  std::uint8_t has_avx;
};
static_assert(offsetof(KeptState, flags) == 56 && offsetof(KeptState, fs_base) == 64 &&
              offsetof(KeptState, gs_base) == 72 && offsetof(KeptState, mxcsr) == 80 &&
              offsetof(KeptState, x87_control) == 84 && offsetof(KeptState, has_avx) == 86);
[[gnu::used]] KeptState kept_state asm("cyclescope_kept_state");

// The way in, with System V's registers for arguments on every system: where another convention
// keeps more of them (Windows: rsi, rdi, xmm6 to xmm15), the compiler saves these around the call.
[[gnu::naked, gnu::sysv_abi, gnu::aligned(64)]] void EnterWithSystemVArguments(
    std::uintptr_t /*entry*/, std::uint64_t /*loops*/, std::uintptr_t /*scratch*/,
    std::uintptr_t /*stack*/) {
  asm(R"(
    .intel_syntax noprefix
    endbr64
    mov [rip + cyclescope_kept_state], rsp
    mov [rip + cyclescope_kept_state + 8], rbx
    mov [rip + cyclescope_kept_state + 16], rbp
    mov [rip + cyclescope_kept_state + 24], r12
    mov [rip + cyclescope_kept_state + 32], r13
    mov [rip + cyclescope_kept_state + 40], r14
    mov [rip + cyclescope_kept_state + 48], r15
    pushfq
    pop qword ptr [rip + cyclescope_kept_state + 56]
    stmxcsr [rip + cyclescope_kept_state + 80]
    fnstcw [rip + cyclescope_kept_state + 84]
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
    .att_syntax prefix
  )");
}

// The way out restores in the order in which things are needed: a stack first, since `popf` pops;
// then the flags, as the trap, alignment-check and direction flags concern every instruction that
// follows; then what only compiled code relies on. `fninit` empties the x87 stack, which also ends
// MMX state.
[[gnu::naked, gnu::aligned(64)]] void LeaveKernel() {
  asm(R"(
    .intel_syntax noprefix
    endbr64
    mov rsp, [rip + cyclescope_kept_state]
    push qword ptr [rip + cyclescope_kept_state + 56]
    popfq
    mov rbx, [rip + cyclescope_kept_state + 8]
    mov rbp, [rip + cyclescope_kept_state + 16]
    mov r12, [rip + cyclescope_kept_state + 24]
    mov r13, [rip + cyclescope_kept_state + 32]
    mov r14, [rip + cyclescope_kept_state + 40]
    mov r15, [rip + cyclescope_kept_state + 48]
    ldmxcsr [rip + cyclescope_kept_state + 80]
    fninit
    fldcw [rip + cyclescope_kept_state + 84]
    mov rax, [rip + cyclescope_kept_state + 64]
    test rax, rax
    jz 1f
    wrfsbase rax
1:
    mov rax, [rip + cyclescope_kept_state + 72]
    test rax, rax
    jz 2f
    wrgsbase rax
2:
    cmp byte ptr [rip + cyclescope_kept_state + 86], 0
    je 3f
    vzeroupper
3:
    ret
    .att_syntax prefix
  )");
}

// jmp [rip + 0]; its last four bytes are the displacement.
constexpr std::array<std::uint8_t, 6> kJump = {0xff, 0x25, 0, 0, 0, 0};
constexpr std::size_t kDisplacementAt = 2;

constexpr std::array<std::uint8_t, 1> kBreakpoint = {0xcc};  // int3

// AT_HWCAP2: the kernel lets user space write the fs and gs bases (Linux,
// arch/x86/include/uapi/asm/ hwcap2.h). Where it does not, generated code cannot either, but by
// loading a segment register.
constexpr std::uint64_t kFsGsBase = 1U << 1;

// Linux keeps a thread's own data behind fs, Windows behind gs.
[[gnu::target("fsgsbase")]] void NoteThreadBases() {
  kept_state.fs_base = _readfsbase_u64();
  kept_state.gs_base = _readgsbase_u64();
}

}  // namespace

void PrepareKernelEntry(CapabilityWords capabilities) {
  kept_state.fs_base = 0;
  kept_state.gs_base = 0;
  if ((capabilities.second & kFsGsBase) != 0) NoteThreadBases();
  kept_state.has_avx = __builtin_cpu_supports("avx") ? 1 : 0;
}

void EnterKernel(std::uintptr_t entry, std::uint64_t loops, std::uintptr_t scratch,
                 std::uintptr_t stack) {
  EnterWithSystemVArguments(entry, loops, scratch, stack);
}

std::vector<std::uint8_t> ExitPad(std::size_t size) {
  // The address is aligned: the alignment-check flag may be set, and then even this jump would
  // fault on reading it.
  const std::uintptr_t exit = reinterpret_cast<std::uintptr_t>(&LeaveKernel);
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
  // 18; Windows promises nothing of the direction flag, which is bit 10. The first line steps over
  // the red zone.
  asm volatile(
      "lea -128(%%rsp), %%rsp\n\t"
      "pushfq\n\t"
      "andl $0xfffbfbff, (%%rsp)\n\t"
      "popfq\n\t"
      "lea 128(%%rsp), %%rsp"
      :
      :
      : "cc", "memory");
}

}  // namespace cyclescope::arch
