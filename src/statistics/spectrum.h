// The levels among many latencies: the peaks of their distribution on a logarithmic scale, where
// the steps from thread to core to socket are factors.
#pragma once

#include <span>

#include "cyclescope/result/cores.h"

namespace cyclescope::statistics {

// Values of zero and below are left out. Without levels and bars where there are fewer than two
// values.
CoreSpectrum FindSpectrum(std::span<const double> values);

// The index of the level that a value belongs to. There must be one.
std::size_t LevelOf(const CoreSpectrum& spectrum, double nanoseconds);

}  // namespace cyclescope::statistics
