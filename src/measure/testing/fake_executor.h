// A made machine that executes calls on paper: every entry has a known cost, and disturbances come
// when told.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "arch/architecture.h"
#include "measure/cycle_source.h"
#include "sandbox/executor.h"

namespace cyclescope::measure::testing {

class FakeExecutor : public sandbox::Executor {
 public:
  // Core cycles of one loop of an entry. The default is a machine on which reference chains behave:
  // a hundred links, each of what the architecture allows at the least; kernel n takes 10 (n + 1)
  // cycles a loop.
  std::function<double(sandbox::Entry)> cycles_per_loop = [](sandbox::Entry entry) {
    if (entry.kind == sandbox::Entry::Kind::kKernel) return 10.0 * (entry.index + 1);
    return 100.0 * arch::ReferenceChains()[entry.index].least_cycles;
  };
  double overhead_cycles = 60;  // of every call
  double ticks_per_cycle = 0.4;
  double counted_per_cycle =
      1;  // what the counters show for a cycle; they are absent when `counters` is false
  bool counters = false;
  // Called with every record before it is handed out; `index` counts calls since the beginning.
  std::function<void(std::uint64_t index, sandbox::CallRecord& record)> disturb;
  bool dies = false;
  std::uint64_t calls_run = 0;

  sandbox::Outcome Run(std::span<const sandbox::Call> calls) override {
    if (dies)
      return sandbox::Death{.kind = sandbox::DeathKind::kIllegalInstruction,
                            .reason = "illegal instruction"};
    std::vector<sandbox::CallRecord> records;
    for (const sandbox::Call& call : calls) {
      const double cycles =
          overhead_cycles + cycles_per_loop(call.entry) * static_cast<double>(call.loops);
      sandbox::CallRecord record;
      record.ticks = static_cast<std::uint64_t>(cycles * ticks_per_cycle);
      if (counters) {
        record.cycles = static_cast<std::uint64_t>(cycles * counted_per_cycle);
        record.instructions = 100 * call.loops;
        record.counters_valid = true;
      }
      if (disturb) disturb(calls_run, record);
      ++calls_run;
      records.push_back(record);
    }
    return records;
  }

  bool has_counters() const override { return counters; }
};

// Two kernels of the default machine: 5,000 units more in the longer, 2 cycles each.
inline const LengthPair kTwoCycleUnits = {.shorter = {{sandbox::Entry::Kind::kKernel, 0}, 1000},
                                          .longer = {{sandbox::Entry::Kind::kKernel, 1}, 1000},
                                          .extra_units = 5000};

// By the default machine's first reference chain.
inline std::unique_ptr<CycleSource> MakeFakeReference() {
  return MakeReferenceSource({.chain = 0, .links_per_loop = 100, .loops = 100});
}

}  // namespace cyclescope::measure::testing
