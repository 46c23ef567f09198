#include "os/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace cyclescope::os {
namespace {

// Set by a signal handler and read by any thread.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler must not wait for a lock");

void OnInterrupt(int signal) {
  if (interrupted.exchange(true)) _exit(128 + signal);
}

void SetHandler(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;  // what is being written must not be cut off
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted = false;
  SetHandler(OnInterrupt);
}

InterruptGuard::~InterruptGuard() { SetHandler(SIG_DFL); }

bool Interrupted() { return interrupted; }

void IgnoreBrokenPipes() { std::signal(SIGPIPE, SIG_IGN); }

}  // namespace cyclescope::os
