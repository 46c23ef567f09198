#include "os/windows/processor_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "os/windows/wide_text.h"

namespace cyclescope::os {
namespace {

using Information = SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX;
using Entry = const Information*;

constexpr int kBitsOfMask = std::numeric_limits<KAFFINITY>::digits;

std::unexpected<Error> Damaged() {
  return Failed("the system's description of its processors makes no sense");
}

// The entries one after the other; unset where a length is impossible.
std::optional<std::vector<Entry>> SplitEntries(std::span<const std::byte> information) {
  std::vector<Entry> entries;
  constexpr std::size_t kHead = offsetof(Information, Processor);
  while (!information.empty()) {
    if (information.size() < kHead) return std::nullopt;
    const auto* entry = reinterpret_cast<Entry>(information.data());
    if (entry->Size < kHead || entry->Size > information.size()) return std::nullopt;
    entries.push_back(entry);
    information = information.subspan(entry->Size);
  }
  return entries;
}

class MapBuilder {
 public:
  Result<ProcessorMap> Build(const std::vector<Entry>& entries) {
    for (const Entry entry : entries) {
      if (entry->Relationship == RelationGroup) AddGroups(entry->Group);
    }
    if (map_.groups.empty()) return Damaged();
    AddPlaces();
    for (const Entry entry : entries) Add(*entry);
    NameKinds();
    if (map_.places.empty()) return Damaged();
    return std::move(map_);
  }

 private:
  void AddGroups(const GROUP_RELATIONSHIP& groups) {
    int first_cpu = 0;
    for (WORD i = 0; i < groups.ActiveGroupCount; ++i) {
      const PROCESSOR_GROUP_INFO& info = groups.GroupInfo[i];
      map_.groups.push_back({first_cpu, info.MaximumProcessorCount, info.ActiveProcessorMask});
      first_cpu += info.MaximumProcessorCount;
    }
  }

  void AddPlaces() {
    for (const ProcessorGroup& group : map_.groups) {
      for (int bit = 0; bit < kBitsOfMask; ++bit) {
        if ((group.active >> bit & 1) != 0) map_.places.push_back({.cpu = group.first_cpu + bit});
      }
    }
    efficiency_.resize(map_.places.size());
  }

  std::vector<int> CpusOf(const GROUP_AFFINITY& affinity) const {
    std::vector<int> cpus;
    if (affinity.Group >= map_.groups.size()) return cpus;
    for (int bit = 0; bit < kBitsOfMask; ++bit) {
      if ((affinity.Mask >> bit & 1) != 0)
        cpus.push_back(map_.groups[affinity.Group].first_cpu + bit);
    }
    return cpus;
  }

  std::vector<int> CpusOf(const PROCESSOR_RELATIONSHIP& relationship) const {
    std::vector<int> cpus;
    for (WORD i = 0; i < relationship.GroupCount; ++i)
      std::ranges::copy(CpusOf(relationship.GroupMask[i]), std::back_inserter(cpus));
    return cpus;
  }

  CpuPlace* PlaceOf(int cpu) {
    const auto found = std::ranges::lower_bound(map_.places, cpu, {}, &CpuPlace::cpu);
    return found != map_.places.end() && found->cpu == cpu ? &*found : nullptr;
  }

  void Mark(const std::vector<int>& cpus, std::optional<int> CpuPlace::* member, int number) {
    for (const int cpu : cpus) {
      if (CpuPlace* place = PlaceOf(cpu)) place->*member = number;
    }
  }

  void Add(const Information& entry) {
    switch (entry.Relationship) {
      case RelationProcessorCore: {
        const std::vector<int> cpus = CpusOf(entry.Processor);
        Mark(cpus, &CpuPlace::core, cores_++);
        for (const int cpu : cpus) {
          if (CpuPlace* place = PlaceOf(cpu))
            efficiency_[static_cast<std::size_t>(place - map_.places.data())] =
                reinterpret_cast<const BYTE*>(&entry.Processor)[kEfficiencyClassAt];
        }
        break;
      }
      case RelationProcessorPackage:
        Mark(CpusOf(entry.Processor), &CpuPlace::package, packages_++);
        break;
      case RelationNumaNode:
        Mark(CpusOf(entry.NumaNode.GroupMask), &CpuPlace::numa,
             static_cast<int>(entry.NumaNode.NodeNumber));
        break;
      case RelationCache:
        AddCache(entry.Cache);
        break;
      default:
        break;  // what a later Windows adds
    }
  }

  void AddCache(const CACHE_RELATIONSHIP& cache) {
    if (cache.Type != CacheUnified && cache.Type != CacheData) return;
    const std::vector<int> cpus = CpusOf(cache.GroupMask);
    map_.caches.push_back({{.level = cache.Level,
                            .bytes = std::int64_t{cache.CacheSize},
                            .cpus = std::max(static_cast<int>(cpus.size()), 1)},
                           cpus});
    if (cache.Level == 2) Mark(cpus, &CpuPlace::l2, l2s_++);
    if (cache.Level == 3) Mark(cpus, &CpuPlace::l3, l3s_++);
  }

  // Windows gives each core a class, the more efficient ones a lower.
  void NameKinds() {
    if (efficiency_.empty()) return;
    const auto [lowest, highest] = std::ranges::minmax(efficiency_);
    if (lowest == highest) return;
    for (std::size_t i = 0; i < efficiency_.size(); ++i) {
      map_.places[i].kind = efficiency_[i] == highest  ? "performance"
                            : efficiency_[i] == lowest ? "efficiency"
                                                       : "middle";
    }
  }

  ProcessorMap map_;
  std::vector<BYTE> efficiency_;  // of each place
  int cores_ = 0;
  int packages_ = 0;
  int l2s_ = 0;
  int l3s_ = 0;
};

Result<ProcessorMap> AskSystem() {
  DWORD size = 0;
  GetLogicalProcessorInformationEx(RelationAll, nullptr, &size);
  // Aligned as its structures want it.
  std::vector<std::max_align_t> buffer(size / sizeof(std::max_align_t) + 1);
  if (GetLogicalProcessorInformationEx(RelationAll, reinterpret_cast<Information*>(buffer.data()),
                                       &size) == 0) {
    return Failed(
        fmt::format("cannot read which processors there are: {}", WindowsMessage(GetLastError())));
  }
  return ReadProcessorMap({reinterpret_cast<const std::byte*>(buffer.data()), size});
}

}  // namespace

std::optional<GroupPlace> ProcessorMap::Find(int cpu) const {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const int number = cpu - groups[i].first_cpu;
    if (number < 0 || number >= groups[i].most_cpus || number >= kBitsOfMask) continue;
    if ((groups[i].active >> number & 1) == 0) return std::nullopt;
    return GroupPlace{static_cast<WORD>(i), static_cast<BYTE>(number)};
  }
  return std::nullopt;
}

std::optional<int> ProcessorMap::CpuAt(const GroupPlace& place) const {
  if (place.group >= groups.size()) return std::nullopt;
  return groups[place.group].first_cpu + place.number;
}

Result<ProcessorMap> ReadProcessorMap(std::span<const std::byte> information) {
  const auto entries = SplitEntries(information);
  if (!entries) return Damaged();
  return MapBuilder().Build(*entries);
}

const Result<ProcessorMap>& ThisMachine() {
  static const Result<ProcessorMap> map = AskSystem();
  return map;
}

}  // namespace cyclescope::os
