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

}  // namespace cyclescope::library
