// `cyclescope frequency`: how fast one CPU really runs.
#pragma once

#include <string>
#include <vector>

#include "cyclescope/result/estimate.h"
#include "cyclescope/result/status.h"

namespace cyclescope {

// One of several frequencies that a core had while it was looked at.
struct FrequencyStep {
  double ghz = 0;
  double share = 0;  // of the time
};

struct FrequencyRow {
  int cpu = 0;
  Status status = Status::kMeasured;
  std::string reason;   // when not measured
  double base_ghz = 0;  // the time-stamp counter's rate
  double boost = 0;     // core cycles per tick
  Estimate core_ghz;
  std::string cycle_source;
  bool jury_trusted = false;
  bool contended = false;            // another thread shared the core for much of the time
  std::vector<FrequencyStep> steps;  // ascending; empty where the clock stayed the same
};

}  // namespace cyclescope
