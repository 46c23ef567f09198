// Executes reference chains in the calling thread, without a worker process: for questions about
// the machine alone, such as its frequency.
//
//   InProcessExecutor executor;
//   const std::vector<Call> calls = {{{.kind = Entry::Kind::kReferenceChain}, .loops = 1000}};
//   Outcome outcome = executor.Run(calls);
#pragma once

#include <optional>
#include <span>

#include "os/counters.h"
#include "sandbox/executor.h"

namespace cyclescope::sandbox {

class InProcessExecutor final : public Executor {
 public:
  // Counters must have been opened by the thread that runs.
  explicit InProcessExecutor(std::optional<os::Counters> counters = std::nullopt);

  // Takes no kernels: generated code runs in a worker only.
  Outcome Run(std::span<const Call> calls) override;
  bool has_counters() const override { return counters_.has_value(); }

 private:
  std::optional<os::Counters> counters_;
};

}  // namespace cyclescope::sandbox
