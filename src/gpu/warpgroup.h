// Matrix instructions of a whole warpgroup (wgmma, Hopper): their operands lie in shared memory, so
// that they need a kernel of their own.
#pragma once

#include <vector>

#include "gpu/executor.h"
#include "gpu/measure_forms.h"
#include "result/gpu.h"

namespace cyclescope::gpu {

// A row for each type; none on GPUs that have no such instruction.
JobResult<FormResults> MeasureWarpgroup(Executor& executor, const DeviceFacts& device,
                                        const FormSettings& settings, const OnStep& on_step);

}  // namespace cyclescope::gpu
