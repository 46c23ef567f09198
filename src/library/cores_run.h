// Latency between CPUs: for `cores` and `survey`.
#pragma once

#include <vector>

#include "arch/ping_pong.h"
#include "cores/matrix_experiment.h"
#include "cores/threaded_line_source.h"
#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"
#include "library/pulse.h"
#include "measure/tick_clock.h"
#include "os/cpus.h"

namespace cyclescope::library {

// Everything a run needs, known before anything is measured.
struct CoresRun {
  os::CpuList cpus;  // at least two
  std::vector<arch::PingPong> tests;
  cores::Home home;
  cores::MatrixPlan plan;
};

// Adds one matrix per test to the document, and a warning where the hypervisor withheld CPU time;
// ends early, and says so in the document, when the pulse ends. The calling thread must be free to
// move.
Result<void> MeasureMatrices(const CoresRun& run, const measure::TickClock& clock, Pulse& pulse,
                             Document& document);

}  // namespace cyclescope::library
