// From samples to a value with its interval.
#pragma once

#include <vector>

#include "result/memory.h"

namespace cyclescope::memory {

// The median. At least one sample.
MemoryValue ValueOf(const std::vector<double>& values, double confidence);

}  // namespace cyclescope::memory
