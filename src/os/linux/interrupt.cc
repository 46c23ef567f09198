#include "os/interrupt.h"

#include <unistd.h>

#include <csignal>

namespace cyclescope::os {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void OnInterrupt(int signal) {
  if (interrupted != 0) _exit(128 + signal);
  interrupted = 1;
}

void SetHandler(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted = 0;
  SetHandler(OnInterrupt);
}

InterruptGuard::~InterruptGuard() { SetHandler(SIG_DFL); }

bool Interrupted() { return interrupted != 0; }

void IgnoreBrokenPipes() { std::signal(SIGPIPE, SIG_IGN); }

}  // namespace cyclescope::os
