// Which multiprocessors lie together. The blocks of a cluster share their memory, and so all of
// them run in one GPC: whoever runs one is seen beside its neighbours.
#pragma once

#include <vector>

#include "gpu/executor.h"
#include "result/gpu.h"

namespace cyclescope::gpu {

// GPCs, from clusters of several sizes. Empty where a GPU has no clusters.
JobResult<std::vector<GpuGroup>> MeasureGpcs(Executor& executor, const DeviceFacts& device);

// Multiprocessors that were in a cluster together, or with a third one. Each cluster lists its own.
std::vector<GpuGroup> JoinClusters(const std::vector<std::vector<int>>& clusters);

}  // namespace cyclescope::gpu
