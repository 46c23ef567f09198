// Which CPU a thread runs on.
#pragma once

#include <windows.h>

#include "cyclescope/base/error.h"

namespace cyclescope::os {

// Puts a thread on one CPU: of this process or, with a handle that may set it, of another.
Result<void> PinThread(HANDLE thread, int cpu);

}  // namespace cyclescope::os
