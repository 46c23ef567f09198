// `--one-per-core`
#pragma once

#include <span>

#include "cyclescope/result/host.h"
#include "os/cpus.h"

namespace cyclescope::cores {

// The first CPU of each core that the topology lists, among `cpus`; a CPU of which it says nothing
// counts as a core of its own.
os::CpuList OnePerCore(const os::CpuList& cpus, std::span<const CpuPlace> topology);

}  // namespace cyclescope::cores
