// How fast a core really runs: the reference chain against the time-stamp counter.
#pragma once

#include "measure/instrument.h"
#include "result/frequency.h"

namespace cyclescope::measure {

struct FrequencySettings {
  // A core that was idle may need some milliseconds to reach its frequency; what it does until then
  // is not counted.
  std::int64_t warm_up_ns = 30'000'000;
  // Samples spread over at least this long, so that the value is not that of one lucky moment.
  std::int64_t duration_ns = 100'000'000;
  SamplingSettings sampling = {.precision = 0.001, .batch = 20, .most_samples = 2000};
};

// On the CPU that the instrument's executor is pinned to.
FrequencyRow MeasureFrequency(Instrument& instrument, int cpu, const FrequencySettings& settings);

}  // namespace cyclescope::measure
