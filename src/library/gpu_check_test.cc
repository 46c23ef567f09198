#include <gtest/gtest.h>

#include "library/gpu_run.h"

namespace cyclescope::library {
namespace {

TEST(GpuCheck, SaysWhatTheDriverSays) {
  const auto code = [](const gpu::JobResult<std::vector<gpu::DeviceFacts>>& devices) {
    const Check check = GpuCheck(devices);
    EXPECT_FALSE(check.finding.empty());
    return check.claim->code;
  };
  const auto failed = [](gpu::FailureKind kind) {
    return std::unexpected(gpu::JobFailure{.kind = kind, .message = "no"});
  };
  EXPECT_EQ(code(std::vector<gpu::DeviceFacts>(1, {.name = "Made GPU"})), ClaimCode::kGpusSeen);
  EXPECT_EQ(code(std::vector<gpu::DeviceFacts>()), ClaimCode::kNoGpu);
  EXPECT_EQ(code(failed(gpu::FailureKind::kNoDevice)), ClaimCode::kNoGpu);
  EXPECT_EQ(code(failed(gpu::FailureKind::kNoLibrary)), ClaimCode::kNoGpuDriver);
  EXPECT_EQ(code(failed(gpu::FailureKind::kRefused)), ClaimCode::kGpuFailed);
}

}  // namespace
}  // namespace cyclescope::library
