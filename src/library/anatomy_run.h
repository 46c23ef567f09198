// How the core is built: the parts of `anatomy`, one after the other.
#pragma once

#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"
#include "cyclescope/result/host.h"
#include "library/code_session.h"
#include "library/pulse.h"

namespace cyclescope::library {

// Everything a run needs, known before anything is measured.
struct AnatomyRun {
  std::vector<AnatomyPart> parts;  // without repetition
  bool quick = false;
  bool show_code = false;
  CodeSettings settings;
};

std::vector<AnatomyPart> AllAnatomyParts();

// Fills the document's `anatomy`; ends early, and says so in the document, when the pulse ends.
Result<void> MeasureAnatomyParts(const AnatomyRun& run, Pulse& pulse, Document& document);

// What would be measured: rows with code and without values.
void PlanAnatomyParts(const AnatomyRun& run, Document& document);

// Which CPUs may be on one core with another: the one that the system lists, or, where a hypervisor
// says nothing of threads, all others. Hypervisors present the two threads of a core as two cores.
// Among those that may be used, the nearest numbers first.
std::vector<int> NeighbourCpus(int cpu, const Host& host);

}  // namespace cyclescope::library
