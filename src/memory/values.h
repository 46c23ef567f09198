// From samples to a value with its interval.
#pragma once

#include <vector>

#include "result/memory.h"

namespace cyclescope::memory {

// The median. At least one sample. `doubt` is the share of the value that its interval reaches
// further to both sides.
MemoryValue ValueOf(const std::vector<double>& values, double confidence, double doubt = 0);

}  // namespace cyclescope::memory
