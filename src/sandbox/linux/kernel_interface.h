// What Linux's interface has in its own way for each architecture: one file each.
#pragma once

#include <cstdint>

namespace cyclescope::sandbox {

// The program counter in the ucontext_t that a signal handler is given. Runs in the handler.
std::uint64_t ProgramCounter(const void* signal_context);

// The kernel's number for this architecture's own system calls (AUDIT_ARCH_...), as system-call
// filters see it. On x86-64 it differs from that of the 32-bit calls behind `int 0x80`.
std::uint32_t SystemCallArchitecture();

}  // namespace cyclescope::sandbox
