#include "library/gpu_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <random>
#include <utility>

#include "analysis/claims.h"
#include "base/try.h"
#include "gpu/driver.h"
#include "gpu/helper_executor.h"
#include "os/shared_library.h"

namespace cyclescope::library {
namespace {

std::string LibraryOf(const std::string& driver) {
  return driver.empty() ? gpu::kDriverLibrary : driver;
}

std::unexpected<Error> ErrorOf(const gpu::JobFailure& failure) {
  return Failed(fmt::format("the GPU cannot be measured: {}", failure.message), failure.hint);
}

Result<std::vector<gpu::DeviceFacts>> Choose(const std::vector<gpu::DeviceFacts>& devices,
                                             const std::vector<int>& asked) {
  if (asked.empty()) return devices;
  std::vector<gpu::DeviceFacts> chosen;
  for (const int ordinal : asked) {
    const auto found = std::ranges::find(devices, ordinal, &gpu::DeviceFacts::ordinal);
    if (found == devices.end()) {
      return BadInput(fmt::format("there is no GPU {}", ordinal),
                      devices.size() == 1 ? "there is one, 0"
                                          : fmt::format("there are 0 to {}", devices.size() - 1));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

}  // namespace

bool HasGpu(const std::string& driver, Pulse& pulse) {
  if (os::WhyNoDrivers()) return false;
  gpu::HelperExecutor executor(LibraryOf(driver), pulse.Question());
  const auto devices = executor.Devices();
  return devices && !devices->empty();
}

Check GpuCheck(const gpu::JobResult<std::vector<gpu::DeviceFacts>>& devices) {
  Check check{.name = "gpu"};
  if (devices && !devices->empty()) {
    std::string names;
    for (const gpu::DeviceFacts& device : *devices)
      names += (names.empty() ? "" : ", ") + device.name;
    check.claim = Claim{ClaimCode::kGpusSeen, {{"gpus", names}}};
  } else if (devices || devices.error().kind == gpu::FailureKind::kNoDevice) {
    check.claim = Claim{ClaimCode::kNoGpu, {}};
  } else if (devices.error().kind == gpu::FailureKind::kNoLibrary) {
    check.claim = Claim{ClaimCode::kNoGpuDriver, {}};
  } else {
    check.status = CheckStatus::kNote;
    check.claim = Claim{ClaimCode::kGpuFailed, {{"reason", devices.error().message}}};
  }
  PutIntoWords(check);
  return check;
}

Check CheckGpu(const std::string& driver) {
  if (const auto why = os::WhyNoDrivers()) {
    Check check{.name = "gpu", .claim = Claim{ClaimCode::kNoGpuDriver, {{"reason", why->message}}}};
    PutIntoWords(check);
    return check;
  }
  gpu::HelperExecutor executor(LibraryOf(driver), [] { return true; });
  return GpuCheck(executor.Devices());
}

Result<void> MeasureGpuRows(const GpuRun& run, Pulse& pulse, Document& document) {
  if (auto why = os::WhyNoDrivers()) return std::unexpected(std::move(*why));
  gpu::HelperExecutor executor(LibraryOf(run.driver), pulse.Question());
  const auto devices = executor.Devices();
  if (!devices) {
    if (devices.error().kind != gpu::FailureKind::kStopped) return ErrorOf(devices.error());
    document.partial = true;
    return {};
  }
  if (devices->empty()) return Failed("the NVIDIA driver sees no GPU");
  const auto chosen = TRY(Choose(*devices, run.devices));
  const auto warn = [&document](int gpu, std::string_view part, const gpu::JobFailure& why) {
    document.warnings.push_back(
        {"gpu-part", fmt::format("GPU {}, {}: not measured: {}", gpu, part, why.message),
         why.hint});
  };
  std::vector<std::pair<int, gpu::JobFailure>> failed;
  for (const gpu::DeviceFacts& device : chosen) {
    gpu::GpuPlan plan;
    plan.device = device;
    for (const gpu::DeviceFacts& other : *devices) {
      if (other.ordinal != device.ordinal) plan.others.push_back(other);
    }
    plan.texts = run.texts;
    plan.parts = run.parts;
    plan.cpus = run.cpus;
    plan.quick = run.quick;
    plan.with_assembly = run.with_assembly;
    plan.confidence = document.config.confidence;
    plan.seed = std::random_device()();
    const auto on_part = [&](std::string_view part, std::size_t done, std::size_t total) {
      return pulse.Report({.done = done, .total = total, .part = part});
    };
    const auto on_failure = [&](std::string_view part, const gpu::JobFailure& why) {
      warn(device.ordinal, part, why);
    };
    auto row = gpu::MeasureGpu(executor, plan, pulse.Question(), on_part, on_failure);
    if (row) {
      document.gpu.push_back(std::move(*row));
    } else if (row.error().kind != gpu::FailureKind::kStopped) {
      failed.emplace_back(device.ordinal, row.error());
    }
    if (pulse.has_ended()) break;
  }
  if (document.gpu.empty() && !failed.empty()) return ErrorOf(failed.front().second);
  for (const auto& [gpu, why] : failed) warn(gpu, "all parts", why);
  document.partial = document.partial || document.gpu.size() < chosen.size() ||
                     std::ranges::any_of(document.gpu, &GpuRow::partial);
  return {};
}

}  // namespace cyclescope::library
