#include "gpu/helper_executor.h"

#include <fmt/core.h>

#include <chrono>
#include <memory>
#include <utility>

#include "base/try.h"
#include "gpu/device_server.h"

namespace cyclescope::gpu {
namespace {

// Starting the driver takes this long at most; it comes on top of a job's own limit.
constexpr std::int64_t kStartMs = 20'000;

JobFailure FailureOf(const os::HelperAnswer& answer, std::int64_t limit_ms) {
  switch (answer.ending) {
    case os::HelperEnding::kTimedOut:
      return {FailureKind::kTimeout,
              fmt::format("it did not end within {:.3g} s", static_cast<double>(limit_ms) / 1000),
              ""};
    case os::HelperEnding::kDied:
      return {FailureKind::kDied,
              fmt::format("the process with the driver in it ended: {}", answer.how_ended), ""};
    case os::HelperEnding::kStopped:
      return {FailureKind::kStopped, "interrupted", ""};
    case os::HelperEnding::kAnswered:
      break;
  }
  return {FailureKind::kDied, "the process with the driver in it sent an invalid answer", ""};
}

}  // namespace

template <typename Wanted>
JobResult<Wanted> HelperExecutor::Ask(const Question& question, std::int64_t limit_ms) {
  const bool is_new = !helper_;
  if (is_new) {
    auto helper = os::HelperProcess::Start([library = library_] {
      // What we compile is compiled once: no need to fill the user's cache with it. This is the
      // helper's environment only.
      os::SetEnvironment("CUDA_CACHE_DISABLE", "1");
      auto server = std::make_shared<DeviceServer>(library);
      return [server](std::string_view asked) { return server->Serve(asked); };
    });
    if (!helper)
      return std::unexpected(JobFailure{FailureKind::kRefused, helper.error().message, ""});
    helper_ = std::move(*helper);
  }
  const std::int64_t limit = limit_ms + (is_new ? kStartMs : 0);
  const os::HelperAnswer answered =
      helper_->Ask(ToBytes(question), std::chrono::milliseconds(limit), goes_on_);
  Answer answer;
  if (answered.ending != os::HelperEnding::kAnswered || !FromBytes(answered.text, answer)) {
    helper_.reset();
    return std::unexpected(FailureOf(answered, limit_ms));
  }
  if (Wanted* wanted = std::get_if<Wanted>(&answer)) return std::move(*wanted);
  JobFailure* failure = std::get_if<JobFailure>(&answer);
  if (failure == nullptr) {
    helper_.reset();
    return std::unexpected(FailureOf(answered, limit_ms));
  }
  // What is left of such a process takes no further job.
  if (failure->kind == FailureKind::kKernel || failure->kind == FailureKind::kTimeout)
    helper_.reset();
  return std::unexpected(std::move(*failure));
}

JobResult<std::vector<DeviceFacts>> HelperExecutor::Devices() {
  auto answer = TRY(Ask<DevicesAnswer>(DevicesQuestion{}, kStartMs));
  return std::move(answer.devices);
}

JobResult<KernelResult> HelperExecutor::Run(const KernelJob& job) {
  return Ask<KernelResult>(job, job.limit_ms);
}

JobResult<CompileResult> HelperExecutor::Run(const CompileJob& job) {
  return Ask<CompileResult>(job, job.limit_ms);
}

JobResult<HostTripResult> HelperExecutor::Run(const HostTripJob& job) {
  // The helper itself gives up first, and says why.
  constexpr std::int64_t kLaterMs = 2000;
  return Ask<HostTripResult>(job, job.limit_ms + kLaterMs);
}

JobResult<PeerTripResult> HelperExecutor::Run(const PeerTripJob& job) {
  return Ask<PeerTripResult>(job, job.limit_ms);
}

}  // namespace cyclescope::gpu
