// From samples to a value with its interval, and back to its standard error.
#pragma once

#include <vector>

#include "cyclescope/result/memory.h"

namespace cyclescope::statistics {

// The median. At least one sample, and samples that know nothing of each other: one of each visit.
// `doubt` is the share of the value that its interval reaches further to both sides.
MemoryValue ValueOf(const std::vector<double>& values, double confidence, double doubt = 0);

// The standard error of a value of `samples` samples, for what is decided by it. A sample that
// something slowed down widens the upper side alone where there are many, so that the narrower side
// tells.
double ErrorOf(const MemoryValue& value, int samples, double confidence = 0.95);

}  // namespace cyclescope::statistics
