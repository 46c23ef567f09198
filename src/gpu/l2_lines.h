// Lines of the L2 cache as the multiprocessors of a GPU see them: which are near, which are far.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cyclescope/result/gpu.h"
#include "gpu/executor.h"

namespace cyclescope::gpu {

// Lines so far apart spread over slices and partitions.
inline constexpr std::uint64_t kLineStride = 128 * 33;

// Cycles of a load.
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

// The shared memory of a block that fills a multiprocessor: it takes all.
unsigned WholeShared(const DeviceFacts& device);

// Levels among cycles, by number: the names that a spectrum gives are of CPUs.
CoreSpectrum LevelsOf(const std::vector<double>& cycles);

// The samples themselves are left out.
Estimate EstimateWithoutSamples(const std::vector<double>& values, double confidence);

}  // namespace cyclescope::gpu
