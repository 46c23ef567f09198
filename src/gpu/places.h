// How far the parts of a GPU are from each other, from L2, from the CPUs and from other GPUs.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "gpu/executor.h"
#include "result/gpu.h"

namespace cyclescope::gpu {

// Lines of L2 as every multiprocessor sees them: cycles of a load.
struct LineProfile {
  std::vector<int> sms;                     // ascending
  std::vector<std::vector<double>> cycles;  // by multiprocessor, line by line
};
JobResult<LineProfile> MeasureLines(Executor& executor, const DeviceFacts& device);

// Multiprocessors to which the same lines are near; empty where there are not two such groups.
std::vector<GpuGroup> ReadGroups(const LineProfile& profile);
// Near and far lines, as the groups see them.
std::optional<GpuL2> ReadL2(const LineProfile& profile, const std::vector<GpuGroup>& groups,
                            double confidence);

using OnRow = std::function<bool(std::size_t done, std::size_t total)>;

// Rows that were not reached stay empty.
JobResult<GpuMatrix> MeasureMatrix(Executor& executor, const DeviceFacts& device,
                                   const LineProfile& profile, const OnRow& on_row);

JobResult<GpuCpuTrip> MeasureCpuTrip(Executor& executor, const DeviceFacts& device, int cpu,
                                     double confidence);

JobResult<GpuPeerTrip> MeasurePeerTrip(Executor& executor, const DeviceFacts& device,
                                       const DeviceFacts& peer, double ghz, double confidence);

}  // namespace cyclescope::gpu
