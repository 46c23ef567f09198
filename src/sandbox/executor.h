// Who executes calls: the worker process (worker.h), or the calling thread for code that is our own
// (in_process_executor.h). Measuring does not need to know which.
//
//   const Outcome outcome = executor.Run(calls);
//   if (const auto* death = std::get_if<Death>(&outcome)) return Crashed(death->reason);
//   const auto& records = std::get<std::vector<CallRecord>>(outcome);  // one per call
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "sandbox/call.h"
#include "sandbox/death.h"

namespace cyclescope::sandbox {

// One record per call in the order of the calls, or what ended the worker instead.
using Outcome = std::variant<std::vector<CallRecord>, Death>;

// The most calls that one Run takes.
inline constexpr std::size_t kMostCalls = 4096;

class Executor {
 public:
  virtual ~Executor() = default;

  // Executes the calls in order, with nothing between them but bookkeeping. A death concerns this
  // run only: the next one finds a new worker.
  virtual Outcome Run(std::span<const Call> calls) = 0;

  // Whether records carry what hardware counters said.
  virtual bool has_counters() const = 0;
};

}  // namespace cyclescope::sandbox
