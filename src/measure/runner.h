// Runs experiments: in which order, how often, on which CPU, and until when. It knows nothing of
// instructions.
//
//   auto runner = Runner::Create(CycleChoice::kAuto, clock, make_worker, settings, watch);
//   std::vector<Measurement> measured = (*runner)->Run(experiments, goes_on);
//
// Experiments are visited in rounds, so that the visits to one of them lie apart in time. A visit
// is a few samples between two probes. Where a probe tells that another thread shares the core, the
// runner goes to another CPU or waits; only when its patience is spent does it take what it gets,
// and says so.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/choices.h"
#include "measure/cycle_lengths.h"
#include "measure/experiment.h"
#include "measure/instrument.h"
#include "measure/quiet_search.h"
#include "measure/tally.h"
#include "measure/tick_clock.h"
#include "os/cpus.h"
#include "sandbox/executor.h"

namespace cyclescope::measure {

struct RunSettings {
  os::CpuList cpus;          // where it may measure; it starts on the last
  double precision = 0.005;  // relative half width of the interval at which visits end
  double confidence = 0.95;  // of the interval
  int samples_per_visit = 3;
  // Some code has several speeds, by where it lies: what is visited a few times more often shows
  // them, since it lies elsewhere at each visit.
  std::size_t least_visits = statistics::kFewestVisits;
  int most_visits = 12;
  int most_stretch = 16;  // the largest factor by which samples get longer
  // Visits to an experiment lie at least so far apart.
  std::chrono::nanoseconds least_gap = std::chrono::milliseconds(1);
  // The time that it waits in all for a core without a neighbour.
  std::chrono::nanoseconds patience = std::chrono::seconds(5);
  // The share of it that is kept back for a second chance.
  double kept_back = 0;
  WallClock wall_clock = SystemWallClock();
};

class Runner {
 public:
  static Result<std::unique_ptr<Runner>> Create(
      CycleChoice choice, const TickClock& clock,
      const ExecutorFactory<sandbox::CodeExecutor>& make_executor, const RunSettings& settings,
      std::shared_ptr<CoreWatch> watch = std::make_shared<CoreWatch>());

  // What to run instead of an experiment that runs alone and ended its worker so; unset: nothing.
  using Replace =
      std::function<std::optional<Experiment>(std::size_t index, const sandbox::Death&)>;

  // One measurement for each experiment, or for what replaced it, in their order. Each that runs
  // alone has a process until it is measured.
  std::vector<Measurement> Run(std::span<const Experiment> experiments, const GoesOn& goes_on = {},
                               const Replace& replace = {});

  const Instrument& instrument() const { return instrument_; }
  const sandbox::CodeExecutor& executor() const { return *executor_; }
  const RunSettings& settings() const { return settings_; }
  std::chrono::nanoseconds waited() const { return search_.waited(); }
  bool PatienceIsSpent() const { return search_.PatienceIsSpent(); }
  // What had no quiet moment is to be measured again: the patience that was kept back may be spent
  // now.
  void BeginSecondChance();
  // What a reader of the results must know about the clock and the worker.
  std::vector<Warning> Warnings() const;

  // How often the tool handed over to the worker, and the samples that were taken.
  struct Effort {
    std::int64_t switches = 0;
    std::int64_t samples = 0;
  };
  Effort effort() const { return {.switches = runs_ + search_.looks(), .samples = samples_}; }

 private:
  using Batch = std::vector<Tally*>;

  Runner(std::unique_ptr<sandbox::CodeExecutor> executor, Instrument instrument,
         const RunSettings& settings);

  Sufficiency Enough() const;

  // The executor of the batch, with its kernels loaded; null when it cannot be made, which is then
  // the end of the experiments.
  sandbox::CodeExecutor* Load(const Batch& batch);
  // Cuts the experiments into batches that one run of the worker holds.
  std::vector<Batch> Batches(const std::vector<Tally*>& due) const;
  struct Pass {
    std::size_t visited = 0;  // of a batch
    bool quiet = true;        // false: the core was shared, time to look for another
    bool lethal = false;      // some died before anything was visited
  };
  Pass VisitBatch(const Batch& batch);
  // Finds how many loops a sample needs, of those for which it is not known. False when the worker
  // died of it.
  bool FitBatch(const Batch& batch, sandbox::CodeExecutor& executor);
  // The records of the calls, or nothing when the worker died: then the experiment to blame is
  // marked, and the others keep what they have.
  std::vector<sandbox::CallRecord> RunCalls(const Batch& batch,
                                            const std::vector<sandbox::Call>& calls,
                                            sandbox::CodeExecutor& executor);
  void Blame(const Batch& batch, const sandbox::Death& death);
  // Where the clock changes during many visits, it is read before and after every sample.
  bool ClockChangesOften() const;
  void NoteClock(const CycleLengths& cycle_lengths);

  std::unique_ptr<sandbox::CodeExecutor> executor_;
  Instrument instrument_;
  RunSettings settings_;
  std::chrono::nanoseconds kept_back_;  // of the patience; before `search_`, which gets the rest
  QuietSearch search_;
  // Of a probe's wide call, so that a run waits or ends when a neighbour comes (see
  // AppendProbeAndSecond); 0: none.
  std::uint32_t most_wide_percent_ = 0;
  std::optional<std::int64_t> quiet_at_;  // when a run last ended on a quiet core
  // Visits on a quiet core of late, and those of them in which the clock changed.
  double quiet_visits_ = 0;
  double quiet_changes_ = 0;
  unsigned relocations_ = 0;
  std::int64_t runs_ = 0;
  std::int64_t samples_ = 0;
};

}  // namespace cyclescope::measure
