// A simulated machine that executes calls: every piece of code has a known cost in cycles, time
// passes as it would, and neighbours come and go as told.
//
//   SimulatedCore core;
//   core.cycles_per_loop = [](const sandbox::Kernel& kernel) { return 3.0 * kernel.size(); };
//   core.is_shared = [](int cpu, std::int64_t at_ns) { return cpu == 0 && at_ns / 1'000'000 % 2; };
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "arch/architecture.h"
#include "measure/runner.h"
#include "measure/tick_clock.h"
#include "sandbox/call_order.h"
#include "sandbox/executor.h"

namespace cyclescope::measure::testing {

// What a neighbour does to the code that shares its core.
struct Slowdown {
  double add_chain = 1.03;
  double other_chains = 1.0;
  double wide = 1.7;
  double code = 1.3;
};

class SimulatedCore : public sandbox::CodeExecutor {
 public:
  // ---- What the machine is like; to be set before it is used

  std::function<double(const sandbox::Kernel& kernel)> cycles_per_loop =
      [](const sandbox::Kernel& kernel) { return static_cast<double>(kernel.size()); };
  double link_cycles = 1;  // of the first chain; the others take what the architecture allows
  double wide_add_cycles = 0.2;
  double overhead_cycles = 60;  // of every call
  double ticks_per_cycle = 0.7;
  double noise = 0.0005;         // standard deviation of a call's time, relative
  double overhead_jitter = 4;    // the same, in cycles
  double cold_cycles = 0;        // more, of the first call of each piece of code in a worker
  double after_code_cycles = 0;  // more, of a multiply chain right behind a kernel
  double settling_cycles = 0;    // how long code is slower in each call, by a part that varies
  double call_ns = 200;          // that pass between two calls
  double run_ns = 20'000;        // that pass at each Run
  bool counters = false;
  bool filters = true;
  std::function<bool(int cpu, std::int64_t at_ns)> is_shared = [](int, std::int64_t) {
    return false;
  };
  Slowdown slowdown;
  // Which kernels end the worker, and how.
  std::function<std::optional<sandbox::Death>(const sandbox::Kernel& kernel)> death_of =
      [](const sandbox::Kernel&) { return std::nullopt; };
  bool names_culprits = true;  // a death says which kernel it was
  // Called with every record before it is handed out.
  std::function<void(sandbox::CallRecord& record)> disturb = [](sandbox::CallRecord&) {};
  std::mt19937_64 random{1};

  // ---- What became of it

  std::int64_t now_ns = 0;
  int runs = 0;
  std::size_t kernel_calls = 0;
  std::vector<sandbox::Surroundings> others;  // that were asked for
  std::vector<int> moves;
  unsigned code_place = 0;  // that code was relocated to

  // ---- sandbox::CodeExecutor

  sandbox::Outcome Run(std::span<const sandbox::Call> calls) override {
    ++runs;
    now_ns += static_cast<std::int64_t>(run_ns);
    std::vector<sandbox::CallRecord> records(calls.size());
    sandbox::CallRecord* untold = nullptr;  // which says in the next record whether it was switched
    sandbox::CallOrder order(calls);
    while (const auto place = order.Next()) {
      const sandbox::Call& call = calls[*place];
      if (call.entry.kind == sandbox::Entry::Kind::kKernel) {
        ++kernel_calls;
        if (auto death = death_of(kernels_[call.entry.index])) {
          if (names_culprits) death->code_place = sandbox::CodePlace{call.entry.index, 0};
          return *death;
        }
      }
      records[*place] = Record(call);
      records[*place].looks = order.looks();
      if (untold != nullptr)
        records[*place].context_switches += std::exchange(untold->context_switches, 0);
      untold = call.goes_on ? &records[*place] : nullptr;
      order.Made(records[*place].ticks);
    }
    records.resize(order.passed());
    return records;
  }
  bool has_counters() const override { return counters; }
  Result<void> Load(std::span<const sandbox::KernelView> kernels) override {
    kernels_.clear();
    for (const auto kernel : kernels) kernels_.emplace_back(kernel.begin(), kernel.end());
    return {};
  }
  Result<std::unique_ptr<sandbox::CodeExecutor>> Another(
      const sandbox::Surroundings& surroundings) override;
  void Relocate(unsigned number) override { code_place = number; }
  Result<void> MoveTo(int cpu) override {
    if (cpu != cpu_) moves.push_back(cpu);
    cpu_ = cpu;
    return {};
  }
  int cpu() const override { return cpu_; }
  bool has_system_call_filter() const override { return filters; }
  std::vector<Warning> Warnings() const override { return {}; }

  TickClock Clock() const {
    TickClock clock;
    clock.hz = 1e9 * kGigahertz * ticks_per_cycle;
    clock.source = "made";
    clock.calibrated_hz = clock.hz;
    return clock;
  }
  WallClock Time() {
    return {[this] { return now_ns; }, [this](std::int64_t nanoseconds) { now_ns += nanoseconds; }};
  }

 private:
  friend class SimulatedWorker;
  static constexpr double kGigahertz = 3;

  double LoopCycles(const sandbox::Call& call, bool shared) const {
    switch (call.entry.kind) {
      case sandbox::Entry::Kind::kReferenceChain: {
        const arch::ReferenceChain& chain = arch::ReferenceChains()[call.entry.index];
        const auto links = static_cast<double>(chain.links_per_loop);
        if (call.entry.index == 0) return links * link_cycles * (shared ? slowdown.add_chain : 1);
        return links * chain.least_cycles * (shared ? slowdown.other_chains : 1);
      }
      case sandbox::Entry::Kind::kWideLoop:
        return static_cast<double>(arch::kWideAddsPerLoop) * wide_add_cycles *
               (shared ? slowdown.wide : 1);
      case sandbox::Entry::Kind::kFillMemory:
        return 0;
      case sandbox::Entry::Kind::kKernel:
        return cycles_per_loop(kernels_[call.entry.index]) * (shared ? slowdown.code : 1);
    }
    return 0;
  }

  sandbox::CallRecord Record(const sandbox::Call& call) {
    const bool fills = call.entry.kind == sandbox::Entry::Kind::kFillMemory;
    const double loops = fills ? 0 : static_cast<double>(call.loops);
    std::normal_distribution<double> normal;
    double cycles = LoopCycles(call, is_shared(cpu_, now_ns)) * loops;
    cycles *= 1 + noise * normal(random);
    if (call.entry.kind == sandbox::Entry::Kind::kKernel) {
      constexpr double kSlowerShare = 0.05;
      std::uniform_real_distribution<double> part(0, 2 * kSlowerShare);
      cycles += part(random) * std::min(cycles, settling_cycles);
    }
    cycles += overhead_cycles + overhead_jitter * std::abs(normal(random));
    if (seen_.emplace(call.entry.kind, call.entry.index).second) cycles += cold_cycles;
    const auto last = std::exchange(last_, call.entry.kind);
    if (call.entry.kind == sandbox::Entry::Kind::kReferenceChain && call.entry.index != 0 &&
        last == sandbox::Entry::Kind::kKernel) {
      cycles += after_code_cycles;
    }
    now_ns += static_cast<std::int64_t>(cycles / kGigahertz + call_ns);
    sandbox::CallRecord record;
    record.ticks = static_cast<std::uint64_t>(cycles * ticks_per_cycle + 0.5);
    if (counters) {
      record.cycles = static_cast<std::uint64_t>(cycles + 0.5);
      record.instructions = 100 * call.loops;
      record.counters_valid = true;
    }
    disturb(record);
    return record;
  }

  int cpu_ = 0;
  sandbox::Entry::Kind last_ = sandbox::Entry::Kind::kFillMemory;  // that was called
  std::vector<sandbox::Kernel> kernels_;
  std::set<std::pair<sandbox::Entry::Kind, std::uint32_t>> seen_;
};

// One more worker on a simulated core, with kernels of its own.
class SimulatedWorker : public sandbox::CodeExecutor {
 public:
  explicit SimulatedWorker(SimulatedCore& core) : core_(core) {}

  sandbox::Outcome Run(std::span<const sandbox::Call> calls) override {
    const auto swap = [this] {
      std::swap(core_.kernels_, kernels_);
      std::swap(core_.seen_, seen_);
    };
    swap();
    sandbox::Outcome outcome = core_.Run(calls);
    swap();
    return outcome;
  }
  bool has_counters() const override { return core_.has_counters(); }
  Result<std::unique_ptr<sandbox::CodeExecutor>> Another(
      const sandbox::Surroundings& surroundings) override {
    return core_.Another(surroundings);
  }
  Result<void> Load(std::span<const sandbox::KernelView> kernels) override {
    kernels_.clear();
    for (const auto kernel : kernels) kernels_.emplace_back(kernel.begin(), kernel.end());
    return {};
  }
  void Relocate(unsigned) override {}
  Result<void> MoveTo(int cpu) override { return core_.MoveTo(cpu); }
  int cpu() const override { return core_.cpu(); }
  bool has_system_call_filter() const override { return core_.filters; }
  std::vector<Warning> Warnings() const override { return {}; }

 private:
  SimulatedCore& core_;
  std::vector<sandbox::Kernel> kernels_;
  std::set<std::pair<sandbox::Entry::Kind, std::uint32_t>> seen_;
};

inline Result<std::unique_ptr<sandbox::CodeExecutor>> SimulatedCore::Another(
    const sandbox::Surroundings& surroundings) {
  others.push_back(surroundings);
  return std::make_unique<SimulatedWorker>(*this);
}

// A runner over a simulated core, which stays reachable. Settings keep the core's own time.
struct SimulatedRunner {
  SimulatedCore* core = nullptr;
  std::unique_ptr<Runner> runner;
};

inline SimulatedRunner RunnerOn(std::unique_ptr<SimulatedCore> core, RunSettings settings = {}) {
  SimulatedRunner made;
  made.core = core.get();
  settings.wall_clock = made.core->Time();
  if (settings.cpus.empty()) settings.cpus = {0};
  const TickClock clock = made.core->Clock();
  auto runner = Runner::Create(
      CycleChoice::kAuto, clock,
      [&core](std::optional<os::CounterAccess> access)
          -> Result<std::unique_ptr<sandbox::CodeExecutor>> {
        if (access && !core->counters) return Failed("no counters in this test");
        return std::move(core);
      },
      settings);
  if (runner) made.runner = std::move(*runner);
  return made;
}

// An experiment whose kernels have this number of bytes: with the default cost, that many cycles a
// loop.
inline Experiment BytesExperiment(std::size_t bytes, double units) {
  Experiment experiment;
  experiment.kernels = {sandbox::Kernel(bytes), sandbox::Kernel(2 * bytes)};
  experiment.units = units;
  return experiment;
}

}  // namespace cyclescope::measure::testing
