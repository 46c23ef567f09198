#include "os/interrupt.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>

namespace cyclescope::os {
namespace {

// When it was, in nanoseconds of the system's monotonic clock; 0 as long as it was not. Set by a
// signal handler, which a second signal may interrupt, and read by any thread.
std::atomic<std::int64_t> interrupted_ns = 0;
static_assert(std::atomic<std::int64_t>::is_always_lock_free,
              "a signal handler must not wait for a lock");
constexpr std::int64_t kSameWishNs = 1'000'000'000;

void OnInterrupt(int signal) {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);  // one of the few that a handler may call
  const std::int64_t now_ns = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  std::int64_t first_ns = 0;
  if (interrupted_ns.compare_exchange_strong(first_ns, now_ns)) return;
  if (now_ns - first_ns >= kSameWishNs) _exit(128 + signal);
}

constexpr std::array kSignals = {SIGINT, SIGTERM};

// What was there before the guard, of which there is one at a time.
std::array<struct sigaction, kSignals.size()> before;

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted_ns = 0;
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  action.sa_flags = SA_RESTART;  // what is being written must not be cut off
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before[i]);
    // Started in the background or with nohup, the program is to ignore it.
    if (before[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
}

bool Interrupted() { return interrupted_ns != 0; }

}  // namespace cyclescope::os
