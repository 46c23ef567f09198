// Runs kernels in a helper process. A kernel that never ends cannot be ended by the process that
// started it, and one that fails leaves that process without a GPU: so the helper is killed, and
// the next job gets a new one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/work.h"
#include "gpu/executor.h"
#include "gpu/messages.h"
#include "os/helper_process.h"

namespace cyclescope::gpu {

class HelperExecutor : public Executor {
 public:
  // `library` is the driver's (kDriverLibrary in driver.h). `goes_on` is asked while a job is
  // waited for.
  HelperExecutor(std::string library, GoesOn goes_on)
      : library_(std::move(library)), goes_on_(std::move(goes_on)) {}

  JobResult<std::vector<DeviceFacts>> Devices() override;
  JobResult<KernelResult> Run(const KernelJob& job) override;
  JobResult<CompileResult> Run(const CompileJob& job) override;
  JobResult<HostTripResult> Run(const HostTripJob& job) override;
  JobResult<PeerTripResult> Run(const PeerTripJob& job) override;

 private:
  template <typename Wanted>
  JobResult<Wanted> Ask(const Question& question, std::int64_t limit_ms);

  std::string library_;
  GoesOn goes_on_;
  std::optional<os::HelperProcess> helper_;
};

}  // namespace cyclescope::gpu
