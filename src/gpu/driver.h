// NVIDIA's driver in this process: opened while we run, since most machines have none.
#pragma once

#include <string>

#include "gpu/driver_api.h"
#include "gpu/executor.h"

namespace cyclescope::gpu {

inline constexpr char kDriverLibrary[] = "libcuda.so.1";

class Driver {
 public:
  // Opens the library, finds every function and starts the driver.
  static JobResult<Driver> Open(const std::string& library);

  const cuda::Api& api() const { return api_; }

  // Nothing where the call went well; else a failure of that kind: "cuMemAlloc: CUDA_ERROR_..., out
  // of memory".
  JobResult<void> Check(cuda::Status status, const char* call, FailureKind kind) const;

 private:
  cuda::Api api_;
};

// True if a kernel did it: then nothing of this process runs on that GPU any more.
bool IsKernelsFault(cuda::Status status);

}  // namespace cyclescope::gpu
