// Measures forms: plans, runs and concludes all of them, in rounds, so that the visits to one lie
// apart in time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cyclescope/result/gpu.h"
#include "gpu/executor.h"

namespace cyclescope::gpu {

struct FormRequest {
  std::string group;
  std::string text;
  int capability = 0;  // the first that has it; 0: try
};

struct FormSettings {
  int visits = 3;
  double confidence = 0.95;
};

// Called before and after each step; false ends the work.
using OnStep = std::function<bool(std::size_t done, std::size_t total)>;

// A row for each form that was reached. A failure means that the GPU is gone, or that the caller
// stopped it.
struct FormResults {
  std::vector<GpuInstruction> rows;
  bool is_whole = true;
  // Where a short kernel of the row is to be found, row by row; empty where there is none.
  struct Code {
    std::string cubin;
    std::string entry;
  };
  std::vector<Code> code;
};
JobResult<FormResults> MeasureForms(Executor& executor, const DeviceFacts& device,
                                    const std::vector<FormRequest>& forms,
                                    const FormSettings& settings, const OnStep& on_step);

// Matrix instructions of a whole warpgroup (wgmma, Hopper), whose operands lie in shared memory, so
// that they need a kernel of their own: a row for each type; none on GPUs that have no such
// instruction.
JobResult<FormResults> MeasureWarpgroup(Executor& executor, const DeviceFacts& device,
                                        const FormSettings& settings, const OnStep& on_step);

}  // namespace cyclescope::gpu
