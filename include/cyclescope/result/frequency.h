// `cyclescope frequency`: how fast one CPU really runs.
#pragma once

#include <string>

#include "cyclescope/result/estimate.h"
#include "cyclescope/result/status.h"

namespace cyclescope {

struct FrequencyRow {
  int cpu = 0;
  Status status = Status::kMeasured;
  std::string reason;   // when not measured
  double base_ghz = 0;  // the time-stamp counter's rate
  double boost = 0;     // core cycles per tick
  Estimate core_ghz;
  std::string cycle_source;
  bool jury_trusted = false;
};

}  // namespace cyclescope
