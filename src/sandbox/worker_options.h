// What a worker is to be.
#pragma once

#include <chrono>
#include <optional>

#include "os/counters.h"

namespace cyclescope::sandbox {

struct WorkerOptions {
  int cpu = 0;
  // How to read hardware counters around each call; unset for not at all.
  std::optional<os::CounterAccess> counters;
  // For one Run, from request to answer.
  std::chrono::milliseconds time_limit{2000};
};

}  // namespace cyclescope::sandbox
