#include "os/extended_state.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace cyclescope::os {

void RequestTileState() {
#ifdef SYS_arch_prctl  // of x86-64 alone
  // <asm/prctl.h> and the number of the state component (Linux, Documentation/arch/x86/xstate.rst);
  // headers may be older than the kernel.
  constexpr int kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr int kTileData = 18;
  syscall(SYS_arch_prctl, kRequestPermission, kTileData);
#endif
}

}  // namespace cyclescope::os
