#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "arch/kernel_entry.h"
#include "sandbox/linux/be_worker.h"
#include "sandbox/linux/kernel_interface.h"

namespace cyclescope::sandbox {
namespace {

constexpr std::array kFaults = {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP, SIGSYS, SIGABRT};

// Sent when a real-time process exceeds RLIMIT_RTTIME; it has to end the worker.
constexpr int kTooLongAtRealTime = SIGXCPU;

FaultReport* fault_report = nullptr;
const Request* current_request = nullptr;

// A pointer and not a call, since a call may have to look up the function first, and the libraries
// may no longer be fit for that.
void (*const volatile kLeave)(int) = &_exit;

// Generated code may have broken anything this process has. So the handler stays off libraries and
// thread-local storage, hence without stack protector (which reads it on x86-64) and sanitizers. If
// it faults nevertheless, the kernel ends the process, and the tool sees that.
[[gnu::no_stack_protector, gnu::no_sanitize("address", "thread", "undefined")]] void ReportAndLeave(
    int signal, siginfo_t* info, void* context) {
  arch::RestoreHandlerState();
  fault_report->cause = static_cast<std::uint32_t>(signal);
  fault_report->detail = info->si_code;
  fault_report->address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  fault_report->program_counter = ProgramCounter(context);
  fault_report->sequence = current_request->sequence;
  kLeave(kFaultReported);
}

}  // namespace

Result<void> ReportFaults(FaultReport& report, const Request& request,
                          std::span<std::uint8_t> stack) {
  fault_report = &report;
  current_request = &request;

  stack_t alternative{};
  alternative.ss_sp = stack.data();
  alternative.ss_size = stack.size();
  if (sigaltstack(&alternative, nullptr) != 0) {
    return SystemError("cannot set the worker's signal stack", errno);
  }
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    struct sigaction action{};
    sigfillset(&action.sa_mask);
    if (std::ranges::find(kFaults, signal) != kFaults.end()) {
      action.sa_sigaction = ReportAndLeave;
      action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    } else {
      action.sa_handler = signal == kTooLongAtRealTime ? SIG_DFL : SIG_IGN;
    }
    // Refused for SIGKILL, SIGSTOP and those that libc keeps to itself.
    sigaction(signal, &action, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  if (sigprocmask(SIG_SETMASK, &none, nullptr) != 0) {
    return SystemError("cannot unblock the worker's signals", errno);
  }
  return {};
}

}  // namespace cyclescope::sandbox
