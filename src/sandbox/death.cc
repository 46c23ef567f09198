#include "sandbox/death.h"

#include <fmt/core.h>

#include <csignal>

namespace cyclescope::sandbox {
namespace {

struct KnownSignal {
  int number = 0;
  DeathKind kind = DeathKind::kOtherSignal;
  const char* description = "";
};

constexpr KnownSignal kKnownSignals[] = {
    {SIGILL, DeathKind::kIllegalInstruction, "illegal instruction (SIGILL)"},
    {SIGSEGV, DeathKind::kBadAddress, "bad memory access (SIGSEGV)"},
    {SIGBUS, DeathKind::kBusError, "bus error (SIGBUS)"},
    {SIGFPE, DeathKind::kArithmetic, "arithmetic exception (SIGFPE)"},
    {SIGTRAP, DeathKind::kTrap, "breakpoint or single step (SIGTRAP)"},
    {SIGSYS, DeathKind::kForbiddenSystemCall, "forbidden system call (SIGSYS)"},
    // The kernel's own time limit for real-time processes (RLIMIT_RTTIME).
    {SIGXCPU, DeathKind::kTimeout, "did not end in time (SIGXCPU)"},
    {SIGABRT, DeathKind::kOtherSignal, "aborted (SIGABRT)"},
    {SIGKILL, DeathKind::kOtherSignal, "killed from outside (SIGKILL)"},
};

}  // namespace

Death DeathBySignal(int signal, std::optional<std::uint64_t> fault_address,
                    std::optional<CodePlace> code_place) {
  Death death{.kind = DeathKind::kOtherSignal,
              .signal = signal,
              .fault_address = fault_address,
              .code_place = code_place,
              .reason = fmt::format("ended by signal {}", signal)};
  for (const KnownSignal& known : kKnownSignals) {
    if (known.number != signal) continue;
    death.kind = known.kind;
    death.reason = known.description;
  }
  if (death.kind == DeathKind::kBadAddress) {
    // The x86-64 processor names no address when it denies privileged instructions, addresses that
    // are not canonical, and misaligned vector operands.
    death.reason += fault_address
                        ? fmt::format(" to address {:#x}", *fault_address)
                        : " or instruction that only the kernel may use, no address known";
  }
  return death;
}

}  // namespace cyclescope::sandbox
