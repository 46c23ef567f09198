// Which CPU a process runs on.
#pragma once

#include "base/error.h"

namespace cyclescope::os {

// Puts another process of this user on one CPU.
Result<void> PinProcess(int process, int cpu);

}  // namespace cyclescope::os
