// On which CPUs code is measured, and which others may share their cores.
#pragma once

#include <cstddef>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/result/host.h"
#include "os/cpus.h"

namespace cyclescope::library {

// The CPUs that may be used and are of the same kind as this one, in their order: cores of
// different kinds have different widths and latencies.
os::CpuList CpusLike(int cpu, const Host& host);

// Which CPUs may be on one core with another: the one that the system lists, or, where a hypervisor
// says nothing of threads, all others. Hypervisors present the two threads of a core as two cores.
// Among those that may be used, the nearest numbers first.
std::vector<int> NeighbourCpus(int cpu, const Host& host);

// Which CPUs a sweep uses.
struct SweepCpus {
  os::CpuList measuring;
  os::CpuList planning;  // ahead; none where it would disturb
  // Plans are made in short turns: these CPUs may share cores with the measuring ones.
  bool takes_turns = false;
  // Where each of the measuring CPUs may move to when its core is shared. The last is that CPU.
  std::vector<os::CpuList> choices;
};

// The last of `candidates` measures, and as many others of its kind as there are more jobs: on
// cores of their own as far as there are enough. Plans are made on a few cores where nothing is
// measured. Where there is no such core, nothing is planned ahead: a planner on the other thread of
// the measuring core would be the neighbour that spoils every value, which costs more than the time
// that it saves. A single job may move to the other candidates, but to none on a planner's core.
// A virtual machine may hide which CPUs share a core: there plans are made on all CPUs, and
// planning and measuring take turns.
Result<SweepCpus> ChooseSweepCpus(const os::CpuList& candidates, std::size_t jobs,
                                  const Host& host);

}  // namespace cyclescope::library
