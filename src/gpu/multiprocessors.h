// The multiprocessors of a GPU: how fast they run, and which of them lie in one GPC. The blocks of
// a cluster share their memory, so all of them run in one GPC: multiprocessors that run blocks of
// the same cluster lie together.
#pragma once

#include <vector>

#include "cyclescope/result/estimate.h"
#include "cyclescope/result/gpu.h"
#include "gpu/executor.h"

namespace cyclescope::gpu {

// GPCs, from clusters of several sizes. Empty where a GPU has no clusters.
JobResult<std::vector<GpuGroup>> MeasureGpcs(Executor& executor, const DeviceFacts& device);

// Multiprocessors that were in a cluster together, or with a third one. Each cluster lists its own.
std::vector<GpuGroup> JoinClusters(const std::vector<std::vector<int>>& clusters);

// The real clock of the multiprocessors, by the GPU's own timer.
JobResult<Estimate> MeasureClock(Executor& executor, const DeviceFacts& device, double confidence);

}  // namespace cyclescope::gpu
