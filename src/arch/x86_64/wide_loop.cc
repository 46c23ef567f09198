#include "arch/wide_loop.h"

namespace cyclescope::arch {

void RunWideLoop(std::uint64_t loops) {
  asm volatile(
      ".p2align 6\n0:\n\t"
      ".rept 8\n\t"
      ".irp n, rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11, r12, r13, r14\n\t"
      "add %%\\n, %%\\n\n\t"
      ".endr\n\t"
      ".endr\n\t"
      "dec %[loops]\n\t"
      "jnz 0b"
      : [loops] "+r"(loops)
      :
      : "cc", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14");
}

}  // namespace cyclescope::arch
