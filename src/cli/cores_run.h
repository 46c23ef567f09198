// Latency between CPUs, for every command that measures it.
#pragma once

#include <vector>

#include "arch/ping_pong.h"
#include "base/error.h"
#include "cores/matrix_experiment.h"
#include "cores/threaded_line_source.h"
#include "measure/tick_clock.h"
#include "os/cpus.h"
#include "report/text_style.h"
#include "result/document.h"

namespace cyclescope::cli {

// Everything a run needs, known before anything is measured.
struct CoresRun {
  os::CpuList cpus;  // at least two
  std::vector<arch::PingPong> tests;
  cores::Home home;
  cores::MatrixPlan plan;
};

// Adds one matrix per test to the document, and a warning where the hypervisor withheld CPU time;
// ends early, and says so in the document, when the user interrupts. The calling thread must be
// free to move. `style` is that of the matrix on the terminal while it is filled.
Result<void> MeasureCores(const CoresRun& run, const measure::TickClock& clock,
                          const TextStyle& style, Document& document);

}  // namespace cyclescope::cli
