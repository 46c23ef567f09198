// The worker's side: what the forked process does from its first instruction to its last.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>

#include "os/counters.h"
#include "sandbox/mapping.h"
#include "sandbox/worker_memory.h"

namespace cyclescope::sandbox {

struct WorkerOptions {
  int cpu = 0;
  // How to read hardware counters around each call; unset for not at all.
  std::optional<os::CounterAccess> counters;
  // For one Run, from request to answer.
  std::chrono::milliseconds time_limit{2000};
};

// Sets the process up, says so through `socket`, and serves runs until the tool is gone.
[[noreturn]] void BeWorker(WorkerMemory& memory, const WorkerOptions& options,
                           const FileDescriptor& socket, pid_t tool);

}  // namespace cyclescope::sandbox
