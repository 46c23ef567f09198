// How a worker process ended instead of answering: a result like any other, which the form it
// happened to keeps as its status and reason.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cyclescope::sandbox {

enum class DeathKind {
  kIllegalInstruction,   // SIGILL: this CPU has no such instruction, or only the kernel may use it
  kBadAddress,           // SIGSEGV: wild access, or (on x86-64) a privileged instruction
  kBusError,             // SIGBUS
  kArithmetic,           // SIGFPE
  kTrap,                 // SIGTRAP: breakpoints and single steps
  kForbiddenSystemCall,  // SIGSYS: the system-call filter stepped in
  kOtherSignal,
  kTimeout,        // no answer within the time limit
  kExited,         // the process left by itself
  kProtocolError,  // it answered with something that no honest worker says
  kNotStarted,     // there was no process to run in, and none could be made
  kCancelled,      // the caller wants no more (WorkerOptions::goes_on)
};

// A place in the loaded code.
struct CodePlace {
  std::uint32_t kernel = 0;  // index in the load
  std::uint64_t offset = 0;  // in bytes from the kernel's start

  bool operator==(const CodePlace&) const = default;
};

struct Death {
  DeathKind kind = DeathKind::kOtherSignal;
  int signal = 0;  // 0 when it was none
  // The data or code address that was at fault, where the signal names one.
  std::optional<std::uint64_t> fault_address;
  // Where the program counter stood, if inside a kernel: at the faulting instruction, but just
  // past it for breakpoints (on x86-64) and system calls.
  std::optional<CodePlace> code_place;
  std::string reason;  // for people, without the place: "illegal instruction (SIGILL)"
};

// A death of signal `signal`, with its kind and reason.
Death DeathBySignal(int signal, std::optional<std::uint64_t> fault_address = std::nullopt,
                    std::optional<CodePlace> code_place = std::nullopt);

}  // namespace cyclescope::sandbox
