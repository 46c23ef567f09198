// Latency between CPUs, for whoever measures it.
#pragma once

#include <functional>
#include <vector>

#include "arch/ping_pong.h"
#include "base/error.h"
#include "cores/matrix_experiment.h"
#include "cores/threaded_line_source.h"
#include "cyclescope/progress.h"
#include "measure/tick_clock.h"
#include "os/cpus.h"
#include "result/document.h"

namespace cyclescope::library {

// Everything a run needs, known before anything is measured.
struct CoresRun {
  os::CpuList cpus;  // at least two
  std::vector<arch::PingPong> tests;
  cores::Home home;
  cores::MatrixPlan plan;
};

// What a caller sees while one of the tests is under way; false ends the run.
using OnTestProgress =
    std::function<bool(const arch::PingPong& test, const CoreMatrix& so_far, Progress progress)>;

// Adds one matrix per test to the document, and a warning where the hypervisor withheld CPU time;
// ends early, and says so in the document, when `on_progress` says so. The calling thread must be
// free to move.
Result<void> MeasureCores(const CoresRun& run, const measure::TickClock& clock,
                          const OnTestProgress& on_progress, Document& document);

}  // namespace cyclescope::library
