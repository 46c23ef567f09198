#include "sandbox/death.h"

#include <fmt/core.h>

namespace cyclescope::sandbox {
namespace {

std::string_view Description(DeathKind kind) {
  switch (kind) {
    case DeathKind::kIllegalInstruction:
      return "illegal instruction";
    case DeathKind::kBadAddress:
      return "bad memory access";
    case DeathKind::kBusError:
      return "bus error";
    case DeathKind::kArithmetic:
      return "arithmetic exception";
    case DeathKind::kTrap:
      return "breakpoint or single step";
    case DeathKind::kForbiddenSystemCall:
      return "forbidden system call";
    case DeathKind::kTimeout:
      return "did not end in time";
    case DeathKind::kOtherSignal:
    case DeathKind::kExited:
    case DeathKind::kProtocolError:
    case DeathKind::kNotStarted:
    case DeathKind::kCancelled:
      break;
  }
  return "ended by the system";
}

}  // namespace

Death DeathBy(DeathKind kind, std::string_view name, std::optional<std::uint64_t> fault_address,
              std::optional<CodePlace> code_place) {
  Death death{.kind = kind,
              .fault_address = fault_address,
              .code_place = code_place,
              .reason = fmt::format("{} ({})", Description(kind), name)};
  if (kind == DeathKind::kBadAddress) {
    // The x86-64 processor names no address when it denies privileged instructions, addresses that
    // are not canonical, and misaligned vector operands.
    death.reason += fault_address
                        ? fmt::format(" to address {:#x}", *fault_address)
                        : " or instruction that only the kernel may use, no address known";
  }
  return death;
}

}  // namespace cyclescope::sandbox
