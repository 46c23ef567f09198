// The process that workers are forked from: a copy of the tool from before it grew. A worker that
// was forked from the tool itself would take as long to make as the tool is large, and would keep a
// copy of every page that the tool changes from then on.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <optional>

#include "cyclescope/base/error.h"
#include "sandbox/worker_memory.h"
#include "sandbox/worker_options.h"

namespace cyclescope::sandbox {

// May be used by several threads.
class ForkServer {
 public:
  // The one that all workers of this process come from. It ends when its last user is gone, and
  // however this process ends.
  static Result<std::shared_ptr<ForkServer>> Get();

  ForkServer(pid_t process, int socket) : process_(process), socket_(socket), owner_(getpid()) {}
  ~ForkServer();
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;

  // False when it is gone, or belongs to the process that this one was forked from.
  bool IsUsable();

  // A worker that speaks through `socket`. Its process ends with the fork server.
  Result<pid_t> Start(const WorkerMemory& memory, const WorkerOptions& options, int socket);

  // Kills a worker and waits for its end: its status, as waitpid tells it, which is that of an
  // earlier end where there was one. Unset when the fork server is gone, and so its workers: their
  // numbers may be others' by then, so no other process kills them.
  std::optional<int> End(pid_t worker);

 private:
  std::mutex mutex_;
  pid_t process_;
  int socket_;
  pid_t owner_;  // a process that was forked from this one has no part in it
};

}  // namespace cyclescope::sandbox
