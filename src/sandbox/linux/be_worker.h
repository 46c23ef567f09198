// The worker's side: what the forked process does from its first instruction to its last.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>

#include "cyclescope/base/error.h"
#include "sandbox/control_block.h"
#include "sandbox/worker_memory.h"
#include "sandbox/worker_options.h"

namespace cyclescope::sandbox {

// Sets the process up, says so through `socket`, and serves runs until the tool is gone.
[[noreturn]] void BeWorker(WorkerMemory& memory, const WorkerOptions& options, int socket,
                           pid_t server);

// The worker's signals: faults are reported and end it; all else is ignored, as the tool decides
// when its worker ends, and neither Ctrl-C nor a service manager that signals every process.
//
// Faults are reported to `report` as belonging to the run that `request` names then. The handler
// runs on `stack`, since the code's own stack pointer can be anything.
Result<void> ReportFaults(FaultReport& report, const Request& request,
                          std::span<std::uint8_t> stack);

}  // namespace cyclescope::sandbox
