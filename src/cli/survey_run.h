// Everything about a machine that can be measured in a short time, one part after the other.
#pragma once

#include "base/error.h"
#include "cli/options.h"
#include "os/cpus.h"
#include "report/text_style.h"
#include "result/document.h"

namespace cyclescope::cli {

enum class SurveyEffort {
  kQuick,   // less precise: below 5 seconds on 16 CPUs
  kNormal,  // below a minute on 16 CPUs
  kFull,    // and a sweep over every instruction
};

struct SurveyRequest {
  os::CpuList cpus;
  CycleChoice cycles = CycleChoice::kAuto;
  SurveyEffort effort = SurveyEffort::kNormal;
};

// Fills the document with doctor's findings, frequencies, latencies between CPUs (where there are
// two), the headline forms and snippets, and the sweep. When the user interrupts, what is measured
// until then stays, and the document says so.
Result<void> MeasureSurvey(const SurveyRequest& request, const TextStyle& style,
                           Document& document);

}  // namespace cyclescope::cli
