// The accesses of `memory` that depend on where they lie, as snippets.
#pragma once

#include <chrono>
#include <memory>

#include "cyclescope/base/error.h"
#include "cyclescope/result/host.h"
#include "cyclescope/result/memory.h"
#include "library/pulse.h"
#include "measure/core_watch.h"

namespace cyclescope::library {

struct AccessRun {
  int cpu = 0;
  std::chrono::nanoseconds most_time{0};
  std::shared_ptr<measure::CoreWatches> watches;
};

// Fills the row's accesses; those that there was no time for are named in `left_out`.
Result<void> MeasureAccesses(const AccessRun& run, const Host& host, Pulse& pulse, MemoryRow& row);

}  // namespace cyclescope::library
