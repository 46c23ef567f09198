// Measurements as a test wants them.
#pragma once

#include <string>
#include <utility>

#include "measure/experiment.h"

namespace cyclescope::instructions::testing {

// Three visits of three samples around a value.
inline measure::Measurement Took(double cycles, double noise = 0.0004) {
  measure::Measurement measurement;
  for (int visit = 0; visit < 3; ++visit) {
    measure::Visit made;
    made.state = measure::CoreState::kQuiet;
    for (int sample = 0; sample < 3; ++sample)
      made.cycles.push_back(cycles * (1 + noise * ((visit + sample) % 3 - 1)));
    measurement.visits.push_back(made);
  }
  measurement.totals = {.units = 1000, .cycles = 1000 * cycles, .ticks = 700 * cycles};
  return measurement;
}

// The same with visits that lie so far apart, and no two groups among them.
inline measure::Measurement Wavered(double cycles, double apart) {
  measure::Measurement measurement = Took(cycles);
  for (int visit = 0; visit < 3; ++visit) {
    for (int sample = 0; sample < 3; ++sample)
      measurement.visits[visit].cycles[sample] = cycles + apart * (visit - 1 + 0.6 * (sample - 1));
  }
  return measurement;
}

inline measure::Measurement Died(sandbox::DeathKind kind, std::string reason) {
  measure::Measurement measurement;
  measurement.death = sandbox::Death{.kind = kind, .reason = std::move(reason)};
  return measurement;
}

}  // namespace cyclescope::instructions::testing
