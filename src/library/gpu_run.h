// GPUs, for the functions of the library that measure them or look for them.
#pragma once

#include <string>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"
#include "gpu/executor.h"
#include "gpu/experiment.h"
#include "library/pulse.h"

namespace cyclescope::library {

struct GpuRun {
  std::vector<int> devices;  // empty: all
  std::vector<std::string> texts;
  gpu::GpuParts parts;
  std::vector<int> cpus;
  bool quick = false;
  bool with_assembly = false;
  std::string driver;  // NVIDIA's when empty
};

// Adds a row for each GPU to the document; ends early, and says so in the document, when the pulse
// ends.
Result<void> MeasureGpuRows(const GpuRun& run, Pulse& pulse, Document& document);

// True if this machine has a GPU that can be measured: false where there is no driver or no GPU, or
// where this program cannot open a driver.
bool HasGpu(const std::string& driver, Pulse& pulse);

// For `doctor`: which GPUs `gpu` could measure, or why none. A machine without one lacks nothing.
Check CheckGpu(const std::string& driver);
// The check that follows from what the driver said.
Check GpuCheck(const gpu::JobResult<std::vector<gpu::DeviceFacts>>& devices);

}  // namespace cyclescope::library
