// A copy of this process at the other end of a socket: how a helper (helper_process.h) and the fork
// server of workers (sandbox/linux/fork_server.h) begin.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "cyclescope/base/error.h"

namespace cyclescope::os {

struct ForkedChild {
  pid_t process = -1;
  int socket = -1;  // the owner's end
};

struct ForkPlan {
  std::string what;     // for an error: "cannot start WHAT"
  int socket_type = 0;  // SOCK_STREAM, SOCK_SEQPACKET
  // Handlers that the child was forked with must not run in it; else they may, once it has begun.
  bool keeps_signals_blocked = false;
};

// The child is in a process group of its own, so that signals from the terminal are the owner's. It
// runs `run` with its end of the socket, and ends when that returns, without destructors.
Result<ForkedChild> ForkChild(const ForkPlan& plan, const std::function<void(int socket)>& run);

}  // namespace cyclescope::os
