#include <algorithm>
#include <cstdlib>

#include "library/anatomy_run.h"

namespace cyclescope::library {
namespace {

bool ShareCore(const CpuPlace& one, const CpuPlace& other) {
  return one.core && one.core == other.core && one.package == other.package;
}

bool ListsThreads(const Host& host) {
  for (const CpuPlace& one : host.topology) {
    for (const CpuPlace& other : host.topology) {
      if (one.cpu != other.cpu && ShareCore(one, other)) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<int> NeighbourCpus(int cpu, const Host& host) {
  std::vector<int> cpus;
  const auto own = std::ranges::find(host.topology, cpu, &CpuPlace::cpu);
  for (const int other : host.cpus_allowed) {
    const auto place = std::ranges::find(host.topology, other, &CpuPlace::cpu);
    const bool is_listed =
        own != host.topology.end() && place != host.topology.end() && ShareCore(*own, *place);
    if (other != cpu && is_listed) cpus.push_back(other);
  }
  if (!cpus.empty() || host.hypervisor == "none" || ListsThreads(host)) return cpus;
  std::ranges::copy_if(host.cpus_allowed, std::back_inserter(cpus),
                       [cpu](int other) { return other != cpu; });
  std::ranges::stable_sort(cpus, {}, [cpu](int other) { return std::abs(other - cpu); });
  return cpus;
}

}  // namespace cyclescope::library
