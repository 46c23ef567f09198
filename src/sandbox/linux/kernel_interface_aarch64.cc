#include <linux/audit.h>
#include <ucontext.h>

#include "sandbox/linux/kernel_interface.h"

namespace cyclescope::sandbox {

std::uint64_t ProgramCounter(const void* signal_context) {
  return static_cast<const ucontext_t*>(signal_context)->uc_mcontext.pc;
}

std::uint32_t SystemCallArchitecture() { return AUDIT_ARCH_AARCH64; }

}  // namespace cyclescope::sandbox
