#include "arch/wide_loop.h"

namespace cyclescope::arch {

void RunWideLoop(std::uint64_t loops) {
  asm volatile(
      ".p2align 6\n0:\n\t"
      ".rept 8\n\t"
      ".irp n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13\n\t"
      "add x\\n, x\\n, x\\n\n\t"
      ".endr\n\t"
      ".endr\n\t"
      "subs %[loops], %[loops], #1\n\t"
      "b.ne 0b"
      : [loops] "+r"(loops)
      :
      : "cc", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13");
}

}  // namespace cyclescope::arch
