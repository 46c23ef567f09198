// Measures many forms: a stream of plans into runners. Planning a form (choosing registers,
// assembling) takes a good part of the time that measuring it does, so threads on other CPUs plan
// ahead. Each measuring CPU has two benches, each with a thread that takes the plans in batches:
// while one measures, the other loads code and concludes. Where other CPUs may be threads of the
// measuring cores, there is one bench for a CPU, and plans are made in short turns. On a machine
// with no other CPU the measuring thread plans too.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "base/work.h"
#include "cyclescope/base/error.h"
#include "instructions/measure_forms.h"
#include "instructions/plan.h"
#include "os/cpus.h"
#include "sweep/sweep_plan.h"

namespace cyclescope::sweep {

// Planning a form takes about as long as measuring it.
inline constexpr std::size_t kPlannersPerMeasuringCpu = 2;
// The fewest, where the CPUs allow it, when planners have turns of their own, for which measuring
// waits. Each needs some megabytes.
inline constexpr std::size_t kPlannersInTurns = 8;

struct SweepSettings {
  os::CpuList measuring_cpus;  // at least one
  // None that is measured on, but where they take turns; may be empty.
  os::CpuList planning_cpus;
  // Plans are made in short turns, only when a measuring thread has none left. Where one thread
  // measures, no thread plans meanwhile.
  bool takes_turns = false;
  instructions::Quantities quantities;
};

struct SweepFactories {
  std::function<Result<std::unique_ptr<instructions::Planner>>()> make_planner;
  // Benches on the same CPU are used by different threads: only one of them may measure at a time.
  std::function<Result<std::unique_ptr<instructions::Bench>>(int cpu)> make_bench;
  std::function<void(const instructions::Bench& bench)>
      on_end;  // of each bench's work; may be empty
};

struct SweepObserver {
  // Called for each row as it comes, by one thread at a time. A row that was contended may come
  // again when it was measured once more: what is best of both is the row (MergeRows). An error
  // ends the sweep.
  std::function<Result<void>(PlacedRow row)> take_row;
  // Asked between batches and visits.
  GoesOn goes_on;
};

// Ends when all forms are measured or the observer says so; rows come in no particular order.
Result<void> Sweep(const std::vector<SweepForm>& forms, const SweepSettings& settings,
                   const SweepFactories& factories, const SweepObserver& observer);

}  // namespace cyclescope::sweep
