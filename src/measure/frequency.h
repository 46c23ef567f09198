// How fast a core really runs: the reference chains against the time-stamp counter.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "cyclescope/result/frequency.h"
#include "measure/instrument.h"
#include "measure/tick_clock.h"

namespace cyclescope::measure {

struct FrequencySettings {
  // A core that was idle may need some milliseconds to reach its frequency; what it does until then
  // is not counted.
  std::int64_t warm_up_ns = 30'000'000;
  // Probes are spread over this long, so that the value is not that of one lucky moment.
  std::int64_t duration_ns = 100'000'000;
  double confidence = 0.95;
  // Where a neighbour shares the core all the time, it goes on for this much longer.
  std::chrono::nanoseconds patience{0};
  WallClock wall_clock = SystemWallClock();
  GoesOn goes_on;
};

struct MeasuredFrequency {
  FrequencyRow row;
  std::chrono::nanoseconds waited{0};  // for a neighbour to leave
  bool cut_short = false;              // it was over before the row was measured
};

// Measures the CPU that the executor is pinned to.
MeasuredFrequency MeasureFrequency(const Instrument& instrument, sandbox::Executor& executor,
                                   int cpu, const FrequencySettings& settings);

// The frequencies that a core changed between, with the share of the samples at each: some
// processors move in steps of 100 MHz. Empty where all samples are about the same.
std::vector<FrequencyStep> FindSteps(std::span<const double> ghz);

// True if a rate is in doubt by more than a tenth, and no steps of the clock explain it: no figure
// to rely on.
bool IsDisturbed(const FrequencyRow& row);
// Of a disturbed row no rate is left: all of its samples count as dropped.
void JudgeRate(FrequencyRow& row);

}  // namespace cyclescope::measure
