// The worker's side: what the process does from its first instruction to its last. It is the tool's
// own program, started once more with an argument that makes it a worker before `main`.
#pragma once

#include <cstdint>

#include "cyclescope/base/error.h"
#include "sandbox/control_block.h"
#include "sandbox/worker_memory.h"
#include "sandbox/worker_options.h"

namespace cyclescope::sandbox {

// Behind it, in decimal, the handle of a section that holds a WorkerStart.
extern const wchar_t kWorkerArgument[];

// What the tool tells its worker. Handles are those that it inherits.
struct WorkerStart {
  WorkerMemory::Parts memory;
  std::intptr_t requests = 0;  // an event: there is a request
  std::intptr_t answers = 0;   // an event: it is done, or the worker is set up
  std::intptr_t tool = 0;      // the tool's process
  std::int32_t cpu = 0;
  std::uint32_t scratch = 0;       // Surroundings
  std::uint32_t has_contents = 0;  // likewise
  std::uint32_t counters = 0;      // 0 for none, else os::CounterAccess + 1
  std::uint64_t chase_bytes = 0;   // Surroundings
  std::uint64_t area_count = 0;    // of MemoryArea, which follow
};

// Faults are reported to `report` as belonging to the run that `request` names then. The handler
// runs on the code's own stack, wherever that is; without one, Windows ends the process itself.
Result<void> ReportFaults(FaultReport& report, const Request& request);

}  // namespace cyclescope::sandbox
