// How a worker process ended instead of answering: a result like any other, which the form it
// happened to keeps as its status and reason.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cyclescope::sandbox {

enum class DeathKind {
  kIllegalInstruction,   // this CPU has no such instruction, or only the kernel may use it
  kBadAddress,           // wild access, or (on x86-64) a privileged instruction
  kBusError,             // misaligned where that is not allowed, or no memory behind the address
  kArithmetic,           // division by zero, an unmasked floating-point exception
  kTrap,                 // breakpoints and single steps
  kForbiddenSystemCall,  // the system-call filter stepped in
  kOtherSignal,          // something else that the system knows
  kTimeout,              // no answer within the time limit
  kExited,               // the process left by itself
  kProtocolError,        // it answered with something that no honest worker says
  kNotStarted,           // there was no process to run in, and none could be made
  kCancelled,            // the caller wants no more (WorkerOptions::goes_on)
};

// A place in the loaded code.
struct CodePlace {
  std::uint32_t kernel = 0;  // index in the load
  std::uint64_t offset = 0;  // in bytes from the kernel's start

  bool operator==(const CodePlace&) const = default;
};

struct Death {
  DeathKind kind = DeathKind::kOtherSignal;
  // The data or code address that was at fault, where the system names one.
  std::optional<std::uint64_t> fault_address;
  // Where the program counter stood, if inside a kernel: at the faulting instruction, but just
  // past it for breakpoints (on x86-64) and system calls.
  std::optional<CodePlace> code_place;
  std::string reason;  // for people, without the place: "illegal instruction (SIGILL)"
};

// A death that the system tells of: what happened, and what the system calls it ("SIGSEGV").
Death DeathBy(DeathKind kind, std::string_view name,
              std::optional<std::uint64_t> fault_address = std::nullopt,
              std::optional<CodePlace> code_place = std::nullopt);

// The death that a signal of Linux tells of.
Death DeathBySignal(int signal, std::optional<std::uint64_t> fault_address = std::nullopt,
                    std::optional<CodePlace> code_place = std::nullopt);

// True if a number is one of a Windows exception that ends processes: of a fault in code, not one
// that libraries raise on purpose.
bool IsFault(std::uint32_t exception);

// The death that an exception of Windows tells of.
Death DeathByException(std::uint32_t exception,
                       std::optional<std::uint64_t> fault_address = std::nullopt,
                       std::optional<CodePlace> code_place = std::nullopt);

}  // namespace cyclescope::sandbox
