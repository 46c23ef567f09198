#include "gpu/driver.h"

#include <fmt/core.h>

#include "base/try.h"
#include "os/shared_library.h"

namespace cyclescope::gpu {

bool IsKernelsFault(cuda::Status status) {
  // 214: memory error that cannot be corrected; 700 to 719: bad addresses, illegal instructions,
  // traps, time limits of a display; 999: unknown. All leave the context unusable.
  return status == 214 || (status >= 700 && status <= 719 && status != 701) || status == 999;
}

JobResult<Driver> Driver::Open(const std::string& library) {
  auto opened = os::SharedLibrary::Open(library);
  if (!opened) {
    return std::unexpected(
        JobFailure{FailureKind::kNoLibrary,
                   fmt::format("there is no NVIDIA driver: {}", opened.error().message),
                   "GPUs of other makers cannot be measured"});
  }
  Driver driver;
#define CYCLESCOPE_FIND(name, symbol, arguments)                                                \
  driver.api_.name = reinterpret_cast<decltype(driver.api_.name)>(opened->Find(symbol));        \
  if (driver.api_.name == nullptr) {                                                            \
    return std::unexpected(JobFailure{FailureKind::kNoDriver,                                   \
                                      fmt::format("the NVIDIA driver has no function " symbol), \
                                      "it is too old: CUDA 11 or later is needed"});            \
  }
  CYCLESCOPE_CUDA_FUNCTIONS(CYCLESCOPE_FIND)
#undef CYCLESCOPE_FIND
  const cuda::Status started = driver.api_.Init(0);
  if (started == cuda::kNoDevice)
    return std::unexpected(JobFailure{FailureKind::kNoDevice, "the NVIDIA driver sees no GPU", ""});
  TRY(driver.Check(started, "cuInit", FailureKind::kNoDriver));
  return driver;
}

JobResult<void> Driver::Check(cuda::Status status, const char* call, FailureKind kind) const {
  if (status == cuda::kSuccess) return {};
  const char* name = nullptr;
  const char* text = nullptr;
  if (api_.GetErrorName(status, &name) != cuda::kSuccess) name = nullptr;
  if (api_.GetErrorString(status, &text) != cuda::kSuccess) text = nullptr;
  const std::string code = name != nullptr ? name : fmt::format("error {}", status);
  return std::unexpected(JobFailure{
      kind != FailureKind::kNoDriver && IsKernelsFault(status) ? FailureKind::kKernel : kind,
      fmt::format("{}: {}{}{}", call, code, text != nullptr ? ", " : "",
                  text != nullptr ? text : ""),
      ""});
}

}  // namespace cyclescope::gpu
