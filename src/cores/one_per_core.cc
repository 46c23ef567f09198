#include "cores/one_per_core.h"

#include <algorithm>
#include <set>

namespace cyclescope::cores {

os::CpuList OnePerCore(const os::CpuList& cpus, std::span<const CpuPlace> topology) {
  os::CpuList chosen;
  std::set<int> cores;
  for (const int cpu : cpus) {
    const auto place = std::ranges::find(topology, cpu, &CpuPlace::cpu);
    const bool known = place != topology.end() && place->core;
    if (!known || cores.insert(*place->core).second) chosen.push_back(cpu);
  }
  return chosen;
}

}  // namespace cyclescope::cores
