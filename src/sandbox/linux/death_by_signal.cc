#include <fmt/core.h>

#include <csignal>
#include <string_view>

#include "sandbox/death.h"

namespace cyclescope::sandbox {
namespace {

struct KnownSignal {
  int number = 0;
  DeathKind kind = DeathKind::kOtherSignal;
  std::string_view name;
};

constexpr KnownSignal kKnownSignals[] = {
    {SIGILL, DeathKind::kIllegalInstruction, "SIGILL"},
    {SIGSEGV, DeathKind::kBadAddress, "SIGSEGV"},
    {SIGBUS, DeathKind::kBusError, "SIGBUS"},
    {SIGFPE, DeathKind::kArithmetic, "SIGFPE"},
    {SIGTRAP, DeathKind::kTrap, "SIGTRAP"},
    {SIGSYS, DeathKind::kForbiddenSystemCall, "SIGSYS"},
    // The kernel's own time limit for real-time processes (RLIMIT_RTTIME).
    {SIGXCPU, DeathKind::kTimeout, "SIGXCPU"},
};

}  // namespace

Death DeathBySignal(int signal, std::optional<std::uint64_t> fault_address,
                    std::optional<CodePlace> code_place) {
  for (const KnownSignal& known : kKnownSignals) {
    if (known.number == signal) return DeathBy(known.kind, known.name, fault_address, code_place);
  }
  Death death{.kind = DeathKind::kOtherSignal,
              .fault_address = fault_address,
              .code_place = code_place,
              .reason = fmt::format("ended by signal {}", signal)};
  if (signal == SIGABRT) death.reason = "aborted (SIGABRT)";
  if (signal == SIGKILL) death.reason = "killed from outside (SIGKILL)";
  return death;
}

}  // namespace cyclescope::sandbox
