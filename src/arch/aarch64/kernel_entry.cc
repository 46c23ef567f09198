// Entering and leaving generated code on AArch64.
#include "arch/kernel_entry.h"

#include <array>
#include <cstring>

extern "C" {

// Read by the assembly below.
[[gnu::visibility("hidden")]] extern std::uint8_t cyclescope_has_streaming_mode;
std::uint8_t cyclescope_has_streaming_mode = 0;

[[gnu::visibility("hidden")]] void cyclescope_enter_kernel(std::uintptr_t entry,
                                                           std::uint64_t loops,
                                                           std::uintptr_t scratch,
                                                           std::uintptr_t stack);
[[gnu::visibility("hidden")]] void cyclescope_leave_kernel();

}  // extern "C"

// Both ways address `saved` through x16, never through the stack pointer: the kernel may have left
// that misaligned, and every access through it would then fault. `smstop` (given as a word, since
// assemblers refuse it without SME) leaves streaming mode first, as it clears the vector registers.
// The hints are `bti c` and `bti jc`, no-ops where branch targets are not checked.
asm(R"(
    .pushsection .bss
    .balign 64
saved: .skip 192
    .popsection

    .pushsection .text
    .globl cyclescope_enter_kernel
    .hidden cyclescope_enter_kernel
    .type cyclescope_enter_kernel, %function
    .balign 64
cyclescope_enter_kernel:
    hint #34
    adrp x16, saved
    add x16, x16, :lo12:saved
    mov x17, sp
    mrs x4, tpidr_el0
    mrs x5, fpcr
    mrs x6, fpsr
    stp x19, x20, [x16]
    stp x21, x22, [x16, #16]
    stp x23, x24, [x16, #32]
    stp x25, x26, [x16, #48]
    stp x27, x28, [x16, #64]
    stp x29, x30, [x16, #80]
    stp d8, d9, [x16, #96]
    stp d10, d11, [x16, #112]
    stp d12, d13, [x16, #128]
    stp d14, d15, [x16, #144]
    stp x17, x4, [x16, #160]
    stp x5, x6, [x16, #176]
    mov sp, x3
    mov x16, x0
    mov x0, x1
    mov x1, x2
    .irp register, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    mov x\register, xzr
    .endr
    .irp register, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
    mov x\register, xzr
    .endr
    br x16
    .size cyclescope_enter_kernel, . - cyclescope_enter_kernel

    .globl cyclescope_leave_kernel
    .hidden cyclescope_leave_kernel
    .type cyclescope_leave_kernel, %function
    .balign 64
cyclescope_leave_kernel:
    hint #38
    adrp x16, cyclescope_has_streaming_mode
    ldrb w16, [x16, :lo12:cyclescope_has_streaming_mode]
    cbz w16, 1f
    .inst 0xd503467f
1:
    adrp x16, saved
    add x16, x16, :lo12:saved
    ldp x19, x20, [x16]
    ldp x21, x22, [x16, #16]
    ldp x23, x24, [x16, #32]
    ldp x25, x26, [x16, #48]
    ldp x27, x28, [x16, #64]
    ldp x29, x30, [x16, #80]
    ldp d8, d9, [x16, #96]
    ldp d10, d11, [x16, #112]
    ldp d12, d13, [x16, #128]
    ldp d14, d15, [x16, #144]
    ldp x17, x4, [x16, #160]
    ldp x5, x6, [x16, #176]
    mov sp, x17
    msr tpidr_el0, x4
    msr fpcr, x5
    msr fpsr, x6
    ret
    .size cyclescope_leave_kernel, . - cyclescope_leave_kernel
    .popsection
)");

namespace cyclescope::arch {
namespace {

// ldr x16, [pc, #8]; br x16: branches through x16 are good wherever branch targets are checked.
constexpr std::array<std::uint8_t, 8> kJump = {0x50, 0x00, 0x00, 0x58, 0x00, 0x02, 0x1f, 0xd6};

constexpr std::array<std::uint8_t, 4> kBreakpoint = {0x00, 0x00, 0x20, 0xd4};  // brk #0

// AT_HWCAP2: the Scalable Matrix Extension, and with it streaming mode (Linux,
// Documentation/arch/arm64/elf_hwcaps.rst).
constexpr std::uint64_t kSme = 1U << 23;

}  // namespace

void PrepareKernelEntry(CapabilityWords capabilities) {
  cyclescope_has_streaming_mode = (capabilities.second & kSme) != 0 ? 1 : 0;
}

void EnterKernel(std::uintptr_t entry, std::uint64_t loops, std::uintptr_t scratch,
                 std::uintptr_t stack) {
  cyclescope_enter_kernel(entry, loops, scratch, stack);
}

std::vector<std::uint8_t> ExitPad(std::size_t /*size*/) {
  const std::uintptr_t exit = reinterpret_cast<std::uintptr_t>(&cyclescope_leave_kernel);
  std::vector<std::uint8_t> pad(kJump.begin(), kJump.end());
  pad.resize(kJump.size() + sizeof(exit));
  std::memcpy(pad.data() + kJump.size(), &exit, sizeof(exit));
  return pad;
}

std::size_t InstructionAlignment() { return 4; }

std::span<const std::uint8_t> Breakpoint() { return kBreakpoint; }

void SynchronizeCode(const void* begin, std::size_t size) {
  // Cleans the data cache and invalidates the instruction cache by address, then `dsb` and `isb`
  // (Arm ARM, B2.4.4). The `isb` works on the thread that executes it only, which is why the
  // reader does this and not the writer.
  auto* first = static_cast<char*>(const_cast<void*>(begin));
  __builtin___clear_cache(first, first + size);
}

void RestoreHandlerState() {
  // Linux leaves streaming mode for a handler, and nothing else that programs can set concerns
  // compiled code there.
}

}  // namespace cyclescope::arch
