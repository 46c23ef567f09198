// What a worker process does with a request, once it is set up: the same on every system.
#pragma once

#include <cstdint>
#include <optional>

#include "os/counters.h"
#include "sandbox/executor.h"
#include "sandbox/worker_memory.h"

namespace cyclescope::sandbox {

class RunServer {
 public:
  RunServer(WorkerMemory& memory, const Surroundings& surroundings)
      : memory_(memory), surroundings_(surroundings) {}

  // Counters of this thread, read around each call.
  Result<void> OpenCounters(os::CounterAccess access);

  // Executes the calls of the request that lies in the memory, and leaves the response there.
  // Allocates nothing, and makes no system call but those that CallTimer makes.
  void Execute();

  // Says how setting up ended.
  void Report(const Result<void>& set_up);

 private:
  WorkerMemory& memory_;
  const Surroundings& surroundings_;
  std::optional<os::Counters> counters_;
  std::uint32_t seen_load_ = 0;
};

}  // namespace cyclescope::sandbox
