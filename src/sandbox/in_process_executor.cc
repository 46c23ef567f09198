#include "sandbox/in_process_executor.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "arch/architecture.h"
#include "sandbox/call_timer.h"

namespace cyclescope::sandbox {

InProcessExecutor::InProcessExecutor(std::optional<os::Counters> counters)
    : counters_(std::move(counters)) {}

Outcome InProcessExecutor::Run(std::span<const Call> calls) {
  assert(calls.size() <= kMostCalls);
  std::vector<CallRecord> records(calls.size());
  CallTimer timer({}, counters_ ? &*counters_ : nullptr);
  assert(std::ranges::all_of(calls, [](const Call& call) {
    return call.entry.kind != Entry::Kind::kKernel &&
           call.entry.index < arch::ReferenceChains().size();
  }));
  records.resize(timer.TimeAll(
      calls, [&records](std::size_t place, const CallRecord& record) { records[place] = record; }));
  return records;
}

}  // namespace cyclescope::sandbox
