#include <linux/audit.h>
#include <ucontext.h>

#include "sandbox/linux/kernel_interface.h"

namespace cyclescope::sandbox {

std::uint64_t ProgramCounter(const void* signal_context) {
  const auto* context = static_cast<const ucontext_t*>(signal_context);
  return static_cast<std::uint64_t>(context->uc_mcontext.gregs[REG_RIP]);
}

std::uint32_t SystemCallArchitecture() { return AUDIT_ARCH_X86_64; }

}  // namespace cyclescope::sandbox
