#include "library/measuring_cpus.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <ranges>
#include <utility>

#include "arch/architecture.h"
#include "sweep/sweep.h"

namespace cyclescope::library {
namespace {

bool Contains(const os::CpuList& cpus, int cpu) {
  return std::ranges::find(cpus, cpu) != cpus.end();
}

// True if CPUs may share a core though the system says nothing of it.
bool MayHideThreads(const Host& host) {
  const bool is_virtual = !host.hypervisor.empty() && host.hypervisor != "none";
  return is_virtual && arch::CoresMayHaveThreads() && host.cpus_allowed.size() > 1;
}

// True if the system lists the CPU on one core with another of these: two threads of one core would
// measure each other.
bool SharesCore(int cpu, const os::CpuList& with, const Host& host) {
  const CpuPlace own = CpuPlaceOf(host.topology, cpu);
  return own.core && std::ranges::any_of(with, [&](int other) {
           const CpuPlace place = CpuPlaceOf(host.topology, other);
           return other != cpu && place.core == own.core && place.package == own.package;
         });
}

bool ListsThreads(const Host& host) {
  return std::ranges::any_of(host.topology, [&host](const CpuPlace& place) {
    return std::ranges::any_of(host.topology, [&](const CpuPlace& other) {
      return other.cpu != place.cpu && place.core && other.core == place.core &&
             other.package == place.package;
    });
  });
}

// Each job has the CPUs from its own to the next job's.
SweepCpus InTurns(const os::CpuList& candidates, std::size_t jobs, os::CpuList kind,
                  const Host& host) {
  // CPUs with numbers in a row are mostly those that share a core: jobs are spread over all.
  std::ranges::rotate(kind, std::ranges::find(kind, candidates.back()));
  SweepCpus cpus;
  cpus.measuring = os::SomeOf(kind, jobs);
  cpus.planning = host.cpus_allowed;
  cpus.takes_turns = true;
  if (jobs == 1) {
    cpus.choices = {candidates};
    return cpus;
  }
  for (std::size_t i = 0; i < jobs; ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(i * kind.size() / jobs);
    const auto end = static_cast<std::ptrdiff_t>((i + 1) * kind.size() / jobs);
    cpus.choices.emplace_back(kind.begin() + begin, kind.begin() + end);
    std::ranges::reverse(cpus.choices.back());
  }
  return cpus;
}

// The first, and others of its kind: on cores of their own while there are some.
os::CpuList SpreadOverCores(int first, std::size_t jobs, const os::CpuList& kind,
                            const Host& host) {
  os::CpuList measuring = {first};
  for (const bool may_share : {false, true}) {
    for (const int cpu : kind | std::views::reverse) {
      if (measuring.size() == jobs) break;
      if (!Contains(measuring, cpu) && (may_share || !SharesCore(cpu, measuring, host)))
        measuring.push_back(cpu);
    }
  }
  return measuring;
}

// On cores where nothing is measured: first those that nothing could be measured on, as they are of
// another kind.
os::CpuList PlanningCpus(const os::CpuList& measuring, const os::CpuList& kind, const Host& host) {
  os::CpuList planning = host.cpus_allowed;
  std::erase_if(planning, [&](int cpu) {
    return Contains(measuring, cpu) || SharesCore(cpu, measuring, host);
  });
  std::ranges::stable_partition(planning, [&](int cpu) { return !Contains(kind, cpu); });
  planning.resize(std::min(planning.size(), sweep::kPlannersPerMeasuringCpu * measuring.size()));
  std::ranges::sort(planning);
  return planning;
}

}  // namespace

os::CpuList CpusLike(int cpu, const Host& host) {
  const auto kind_of = [&host](int each) { return CpuPlaceOf(host.topology, each).kind; };
  os::CpuList cpus = host.cpus_allowed;
  std::erase_if(cpus, [&, kind = kind_of(cpu)](int each) { return kind_of(each) != kind; });
  return cpus;
}

std::vector<int> NeighbourCpus(int cpu, const Host& host) {
  std::vector<int> cpus = host.cpus_allowed;
  std::erase_if(cpus, [&](int other) { return !SharesCore(cpu, {other}, host); });
  if (!cpus.empty() || host.hypervisor == "none" || ListsThreads(host)) return cpus;
  std::ranges::copy_if(host.cpus_allowed, std::back_inserter(cpus),
                       [cpu](int other) { return other != cpu; });
  std::ranges::stable_sort(cpus, {}, [cpu](int other) { return std::abs(other - cpu); });
  return cpus;
}

Result<SweepCpus> ChooseSweepCpus(const os::CpuList& candidates, std::size_t jobs,
                                  const Host& host) {
  const os::CpuList kind = CpusLike(candidates.back(), host);
  if (jobs > kind.size()) {
    return BadInput(fmt::format("{} jobs: only {} CPUs {} may be used", jobs, kind.size(),
                                kind.size() < host.cpus_allowed.size() ? "of one kind" : "here"));
  }
  if (MayHideThreads(host)) return InTurns(candidates, jobs, kind, host);
  SweepCpus cpus;
  cpus.measuring = SpreadOverCores(candidates.back(), jobs, kind, host);
  cpus.planning = PlanningCpus(cpus.measuring, kind, host);
  if (jobs > 1) {
    for (const int cpu : cpus.measuring) cpus.choices.push_back({cpu});
    return cpus;
  }
  cpus.choices = {candidates};
  std::erase_if(cpus.choices.front(), [&](int cpu) {
    return Contains(cpus.planning, cpu) || SharesCore(cpu, cpus.planning, host);
  });
  return cpus;
}

}  // namespace cyclescope::library
