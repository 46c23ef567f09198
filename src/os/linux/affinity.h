// Which CPUs a process runs on.
#pragma once

#include "cyclescope/base/error.h"
#include "os/cpus.h"

namespace cyclescope::os {

// The CPUs that the first thread of a process may use.
Result<CpuList> CpusOf(int process);

// Puts another process of this user on one CPU.
Result<void> PinProcess(int process, int cpu);

}  // namespace cyclescope::os
