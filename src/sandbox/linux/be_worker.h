// The worker's side: what the forked process does from its first instruction to its last.
#pragma once

#include <sys/types.h>

#include "sandbox/worker_memory.h"
#include "sandbox/worker_options.h"

namespace cyclescope::sandbox {

// Sets the process up, says so through `socket`, and serves runs until the tool is gone.
[[noreturn]] void BeWorker(WorkerMemory& memory, const WorkerOptions& options, int socket,
                           pid_t server);

}  // namespace cyclescope::sandbox
