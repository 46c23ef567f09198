// The real clock of the multiprocessors, by the GPU's own timer.
#pragma once

#include "cyclescope/result/estimate.h"
#include "gpu/executor.h"

namespace cyclescope::gpu {

JobResult<Estimate> MeasureClock(Executor& executor, const DeviceFacts& device, double confidence);

}  // namespace cyclescope::gpu
