// Everything of one GPU, part by part.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/work.h"
#include "cyclescope/result/gpu.h"
#include "gpu/executor.h"

namespace cyclescope::gpu {

struct GpuParts {
  bool instructions = true;
  bool memory = true;
  bool matrix = true;
  bool trips = true;  // to CPUs and to other GPUs
};

struct GpuPlan {
  DeviceFacts device;
  std::vector<DeviceFacts> others;
  std::vector<std::string> texts;  // these forms; empty: the headline ones
  GpuParts parts;
  std::vector<int> cpus;  // of trips
  bool quick = false;
  bool with_assembly = false;  // by nvdisasm, where it is installed
  double confidence = 0.95;
  std::uint64_t seed = 1;
  // The factor by which curves may take longer than usual: a simulated GPU is slow.
  int times_as_long = 1;
};

// How far a part is: "GPU instructions", "GPU memory", "GPU places". False ends the work.
using OnGpuPart = std::function<bool(std::string_view part, std::size_t done, std::size_t total)>;

// Told of a part that the driver refused. The row is partial then, and the other parts are
// measured.
using OnGpuFailure = std::function<void(std::string_view part, const JobFailure& why)>;

// The row says where it was ended early. A failure means that nothing can be measured there.
JobResult<GpuRow> MeasureGpu(Executor& executor, const GpuPlan& plan, const GoesOn& goes_on,
                             const OnGpuPart& on_part, const OnGpuFailure& on_failure);

// The facts that the driver gives about a GPU.
GpuRow DescribeDevice(const DeviceFacts& device);

}  // namespace cyclescope::gpu
