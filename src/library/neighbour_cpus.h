// Which CPUs may be on one core with another: the one that the system lists, or, where a hypervisor
// says nothing of threads, all others. Hypervisors present the two threads of a core as two cores.
#pragma once

#include <vector>

#include "cyclescope/result/host.h"

namespace cyclescope::library {

// Among those that may be used, the nearest numbers first.
std::vector<int> NeighbourCpus(int cpu, const Host& host);

}  // namespace cyclescope::library
