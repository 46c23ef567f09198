// The options of a worker process.
#pragma once

#include <optional>

#include "base/work.h"
#include "os/counters.h"
#include "sandbox/executor.h"

namespace cyclescope::sandbox {

struct WorkerOptions {
  int cpu = 0;
  // How to read hardware counters around each call; unset for not at all.
  std::optional<os::CounterAccess> counters;
  Surroundings surroundings;
  // Asked before each Run and ten times a second during one; when it says no, the Run ends with a
  // death of kind kCancelled. None: it always goes on.
  GoesOn goes_on;
};

}  // namespace cyclescope::sandbox
