// The real clock of the multiprocessors, by the GPU's own timer.
#pragma once

#include "gpu/executor.h"
#include "result/estimate.h"

namespace cyclescope::gpu {

JobResult<Estimate> MeasureClock(Executor& executor, const DeviceFacts& device, double confidence);

}  // namespace cyclescope::gpu
