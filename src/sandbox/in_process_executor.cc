#include "sandbox/in_process_executor.h"

#include <cassert>
#include <utility>

#include "arch/architecture.h"
#include "sandbox/call_timer.h"

namespace cyclescope::sandbox {

InProcessExecutor::InProcessExecutor(std::optional<os::Counters> counters)
    : counters_(std::move(counters)) {}

Outcome InProcessExecutor::Run(std::span<const Call> calls) {
  assert(calls.size() <= kMostCalls);
  std::vector<CallRecord> records;
  records.reserve(calls.size());
  CallTimer timer({}, counters_ ? &*counters_ : nullptr);
  for (const Call& call : calls) {
    assert(call.entry.kind != Entry::Kind::kKernel);
    assert(call.entry.index < arch::ReferenceChains().size());
    records.push_back(timer.Time(call));
  }
  return records;
}

}  // namespace cyclescope::sandbox
