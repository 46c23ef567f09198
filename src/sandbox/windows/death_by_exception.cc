#include <fmt/core.h>
#include <windows.h>

#include <string_view>

#include "sandbox/death.h"

namespace cyclescope::sandbox {
namespace {

struct KnownException {
  std::uint32_t number = 0;
  DeathKind kind = DeathKind::kOtherSignal;
  std::string_view name;
};

// Two that headers of user mode leave out (ntstatus.h): several floating-point exceptions at once.
constexpr std::uint32_t kFloatMultipleFaults = 0xc00002b4;
constexpr std::uint32_t kFloatMultipleTraps = 0xc00002b5;

constexpr KnownException kKnownExceptions[] = {
    {EXCEPTION_ILLEGAL_INSTRUCTION, DeathKind::kIllegalInstruction,
     "EXCEPTION_ILLEGAL_INSTRUCTION"},
    {EXCEPTION_ACCESS_VIOLATION, DeathKind::kBadAddress, "EXCEPTION_ACCESS_VIOLATION"},
    // As the processor has it, and as Linux reports it: the same fault as an address that cannot
    // be.
    {EXCEPTION_PRIV_INSTRUCTION, DeathKind::kBadAddress, "EXCEPTION_PRIV_INSTRUCTION"},
    {EXCEPTION_STACK_OVERFLOW, DeathKind::kBadAddress, "EXCEPTION_STACK_OVERFLOW"},
    {EXCEPTION_GUARD_PAGE, DeathKind::kBadAddress, "EXCEPTION_GUARD_PAGE"},
    {EXCEPTION_DATATYPE_MISALIGNMENT, DeathKind::kBusError, "EXCEPTION_DATATYPE_MISALIGNMENT"},
    {EXCEPTION_IN_PAGE_ERROR, DeathKind::kBusError, "EXCEPTION_IN_PAGE_ERROR"},
    {EXCEPTION_INT_DIVIDE_BY_ZERO, DeathKind::kArithmetic, "EXCEPTION_INT_DIVIDE_BY_ZERO"},
    {EXCEPTION_INT_OVERFLOW, DeathKind::kArithmetic, "EXCEPTION_INT_OVERFLOW"},
    {EXCEPTION_FLT_DENORMAL_OPERAND, DeathKind::kArithmetic, "EXCEPTION_FLT_DENORMAL_OPERAND"},
    {EXCEPTION_FLT_DIVIDE_BY_ZERO, DeathKind::kArithmetic, "EXCEPTION_FLT_DIVIDE_BY_ZERO"},
    {EXCEPTION_FLT_INEXACT_RESULT, DeathKind::kArithmetic, "EXCEPTION_FLT_INEXACT_RESULT"},
    {EXCEPTION_FLT_INVALID_OPERATION, DeathKind::kArithmetic, "EXCEPTION_FLT_INVALID_OPERATION"},
    {EXCEPTION_FLT_OVERFLOW, DeathKind::kArithmetic, "EXCEPTION_FLT_OVERFLOW"},
    {EXCEPTION_FLT_STACK_CHECK, DeathKind::kArithmetic, "EXCEPTION_FLT_STACK_CHECK"},
    {EXCEPTION_FLT_UNDERFLOW, DeathKind::kArithmetic, "EXCEPTION_FLT_UNDERFLOW"},
    {kFloatMultipleFaults, DeathKind::kArithmetic, "STATUS_FLOAT_MULTIPLE_FAULTS"},
    {kFloatMultipleTraps, DeathKind::kArithmetic, "STATUS_FLOAT_MULTIPLE_TRAPS"},
    {EXCEPTION_BREAKPOINT, DeathKind::kTrap, "EXCEPTION_BREAKPOINT"},
    {EXCEPTION_SINGLE_STEP, DeathKind::kTrap, "EXCEPTION_SINGLE_STEP"},
};

}  // namespace

// The upper two bits of a fault's number say "error", or it is one of the few warnings above; bit
// 29 is set in numbers that libraries make up.
bool IsFault(std::uint32_t exception) {
  constexpr std::uint32_t kError = 0xc0000000;
  constexpr std::uint32_t kMadeUp = 0x20000000;
  for (const KnownException& known : kKnownExceptions) {
    if (known.number == exception) return true;
  }
  return (exception & (kError | kMadeUp)) == kError;
}

Death DeathByException(std::uint32_t exception, std::optional<std::uint64_t> fault_address,
                       std::optional<CodePlace> code_place) {
  for (const KnownException& known : kKnownExceptions) {
    if (known.number == exception)
      return DeathBy(known.kind, known.name, fault_address, code_place);
  }
  return {.kind = DeathKind::kOtherSignal,
          .fault_address = fault_address,
          .code_place = code_place,
          .reason = fmt::format("ended by exception {:#010x}", exception)};
}

}  // namespace cyclescope::sandbox
