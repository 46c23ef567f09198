#include "os/interrupt.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

namespace cyclescope::os {
namespace {

// Set by a signal handler and read by any thread.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler must not wait for a lock");

void OnInterrupt(int signal) {
  if (interrupted.exchange(true)) _exit(128 + signal);
}

constexpr std::array kSignals = {SIGINT, SIGTERM};

// What was there before the guard, of which there is one at a time.
std::array<struct sigaction, kSignals.size()> before;

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted = false;
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  action.sa_flags = SA_RESTART;  // what is being written must not be cut off
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before[i]);
    // Whoever started us in the background, or with nohup, wants it ignored.
    if (before[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
}

bool Interrupted() { return interrupted; }

}  // namespace cyclescope::os
