// What the helper does: answers questions with the driver. It lives in the helper's process alone,
// so it gives nothing back at the end; the system does.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/driver.h"
#include "gpu/executor.h"

namespace cyclescope::gpu {

class DeviceServer {
 public:
  explicit DeviceServer(std::string library) : library_(std::move(library)) {}

  // Bytes of a Question to bytes of an Answer (messages.h). The driver is opened by the first.
  std::string Serve(std::string_view question);

  JobResult<std::vector<DeviceFacts>> Devices();
  JobResult<KernelResult> Run(const KernelJob& job);
  JobResult<CompileResult> Run(const CompileJob& job);
  JobResult<HostTripResult> Run(const HostTripJob& job);
  JobResult<PeerTripResult> Run(const PeerTripJob& job);

 private:
  struct Compiled {
    std::string ptx;
    std::string cubin;
    cuda::Module module = nullptr;
  };
  // Memory that is kept between jobs, and grows.
  struct Buffer {
    cuda::Pointer pointer = 0;
    std::uint64_t bytes = 0;
  };
  struct OpenDevice {
    std::map<std::string, std::string> cubins;  // by text, compiled ahead
    cuda::Context context = nullptr;
    cuda::Stream stream = nullptr;
    std::vector<Compiled> modules;  // the latest last
    Buffer out;
    Buffer memory;
    Buffer upload;
  };

  JobResult<void> OpenDriver();
  JobResult<DeviceFacts> FactsOf(int ordinal, int count);
  JobResult<OpenDevice*> Use(int ordinal);  // makes it the current one
  JobResult<const Compiled*> Compile(OpenDevice& device, const std::string& ptx);
  JobResult<std::string> CompileToCubin(const std::string& ptx) const;
  JobResult<void> Grow(Buffer& buffer, std::uint64_t bytes, bool clear);
  JobResult<cuda::Function> FunctionOf(const Compiled& compiled, const Launch& launch);
  JobResult<void> Start(OpenDevice& device, const Compiled& compiled, const Launch& launch,
                        cuda::Pointer out, cuda::Pointer memory);
  JobResult<void> Wait(OpenDevice& device);
  JobResult<void> Check(cuda::Status status, const char* call,
                        FailureKind kind = FailureKind::kRefused) const {
    return driver_->Check(status, call, kind);
  }

  std::string library_;
  std::optional<Driver> driver_;
  std::map<int, OpenDevice> devices_;
};

}  // namespace cyclescope::gpu
