// How long a word takes from one multiprocessor to another and back, to a CPU, and to another GPU.
#pragma once

#include <cstddef>
#include <functional>

#include "cyclescope/result/gpu.h"
#include "gpu/executor.h"
#include "gpu/l2_lines.h"

namespace cyclescope::gpu {

using OnRow = std::function<bool(std::size_t done, std::size_t total)>;

// Rows that were not reached stay empty.
JobResult<GpuMatrix> MeasureMatrix(Executor& executor, const DeviceFacts& device,
                                   const LineProfile& profile, const OnRow& on_row);

JobResult<GpuCpuTrip> MeasureCpuTrip(Executor& executor, const DeviceFacts& device, int cpu,
                                     double confidence);

JobResult<GpuPeerTrip> MeasurePeerTrip(Executor& executor, const DeviceFacts& device,
                                       const DeviceFacts& peer, double ghz, double confidence);

}  // namespace cyclescope::gpu
