#include "os/topology.h"

#include <fmt/core.h>
#include <hwloc.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "base/try.h"
#include "os/linux/core_pmus.h"
#include "os/linux/files.h"

namespace cyclescope::os {
namespace {

namespace fs = std::filesystem;

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;

struct Free {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, Free>;

constexpr std::string_view kDamaged = "it is not hwloc XML, or it is damaged";
constexpr std::string_view kHowToRecord = "'lstopo FILE.xml' records one";

std::unexpected<Error> CannotRead(const fs::path& path, std::string_view reason) {
  return BadInput(fmt::format("cannot read the topology file '{}': {}", path.string(), reason),
                  std::string{kHowToRecord});
}

// The file is read here and not by hwloc, which has one error for everything that may be wrong.
Result<std::string> ReadRecording(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return CannotRead(path, error ? error.message() : "no such file");
  if (!fs::is_regular_file(status)) return CannotRead(path, "it is not a file");

  // The largest machines need a few megabytes.
  constexpr std::uintmax_t kMaxBytes = 64 << 20;
  const std::uintmax_t bytes = fs::file_size(path, error);
  if (error) return CannotRead(path, error.message());
  if (bytes > kMaxBytes) return CannotRead(path, "it is too large to be one");

  std::optional<std::string> text = ReadText(path);
  if (!text) return CannotRead(path, std::generic_category().message(errno));
  return *std::move(text);
}

Result<Topology> Load(const std::optional<fs::path>& recorded) {
  std::string xml;
  if (recorded) {
    Result<std::string> read = ReadRecording(*recorded);
    if (!read) return std::unexpected(std::move(read.error()));
    xml = *std::move(read);
  }

  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return SystemError("cannot start hwloc", errno);
  Topology topology(raw);
  // Every CPU of the machine, so that a process confined to a few sees the same numbers as others;
  // and no visit to each CPU in turn, which would move this thread about and wake idle CPUs.
  hwloc_topology_set_flags(
      raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED | HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);

  // The length includes the zero byte at the end.
  if (recorded &&
      hwloc_topology_set_xmlbuffer(raw, xml.c_str(), static_cast<int>(xml.size()) + 1) != 0) {
    return CannotRead(*recorded, kDamaged);
  }
  if (hwloc_topology_load(raw) != 0) {
    if (recorded) return CannotRead(*recorded, kDamaged);
    return SystemError("cannot read this machine's topology", errno);
  }
  return topology;
}

// Sets the part of the place that one enclosing object decides.
void Note(hwloc_obj_t object, CpuPlace& place) {
  const int number = static_cast<int>(object->logical_index);
  switch (object->type) {
    case HWLOC_OBJ_CORE:
      place.core = number;
      break;
    case HWLOC_OBJ_L2CACHE:
      place.l2 = number;
      break;
    case HWLOC_OBJ_L3CACHE:
      place.l3 = number;
      break;
    case HWLOC_OBJ_DIE:
      place.die = number;
      break;
    case HWLOC_OBJ_PACKAGE:
      place.package = number;
      break;
    default:
      break;
  }
}

// Groups of other kinds are hwloc's own: by distance, or around memory.
bool IsCluster(hwloc_obj_t object) {
  return object->type == HWLOC_OBJ_GROUP && object->subtype != nullptr &&
         std::string_view{object->subtype} == "Cluster";
}

std::vector<CpuPlace> PlaceCpus(hwloc_topology_t topology) {
  std::vector<CpuPlace> places;
  // hwloc counts the groups of one depth of the tree, whatever their kind; these count clusters.
  std::vector<hwloc_obj_t> clusters;
  for (hwloc_obj_t cpu = nullptr;
       (cpu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, cpu)) != nullptr;) {
    CpuPlace place;
    place.cpu = static_cast<int>(cpu->os_index);
    for (hwloc_obj_t around = cpu->parent; around != nullptr; around = around->parent) {
      Note(around, place);
      if (!IsCluster(around)) continue;
      auto known = std::ranges::find(clusters, around);
      if (known == clusters.end()) known = clusters.insert(known, around);
      place.cluster = static_cast<int>(known - clusters.begin());
    }
    places.push_back(std::move(place));
  }
  std::ranges::sort(places, {}, &CpuPlace::cpu);
  return places;
}

// Calls `note` for every place whose CPU is in the set.
template <typename Function>
void ForEachIn(hwloc_const_bitmap_t cpus, std::vector<CpuPlace>& places, Function note) {
  for (CpuPlace& place : places) {
    if (hwloc_bitmap_isset(cpus, static_cast<unsigned>(place.cpu)) != 0) note(place);
  }
}

// Memory stands beside the tree of CPUs, not in it. Where a CPU has two kinds of memory near, such
// as DRAM and HBM, hwloc lists the ordinary one first.
void NoteNumaNodes(hwloc_topology_t topology, std::vector<CpuPlace>& places) {
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    ForEachIn(node->cpuset, places, [node](CpuPlace& place) {
      if (!place.numa) place.numa = static_cast<int>(node->logical_index);
    });
  }
}

struct Kind {
  std::string core_type;      // "IntelCore", "IntelAtom"; empty elsewhere
  bool has_capacity = false;  // the kernel ranks these cores (cpu_capacity, Arm)
};

Kind ReadKind(const hwloc_info_s* infos, unsigned count) {
  Kind kind;
  for (unsigned i = 0; i < count; ++i) {
    const std::string_view name = infos[i].name;
    if (name == "CoreType") kind.core_type = infos[i].value;
    if (name == "LinuxCapacity") kind.has_capacity = true;
  }
  return kind;
}

// `rank` counts from the most frugal kind up to `kinds` - 1. Kinds that differ in nothing but their
// highest frequency get no name: they are one design, of which some dies came out better.
std::string_view KindName(const Kind& kind, int rank, int kinds) {
  if (kind.core_type == "IntelCore") return "performance";
  if (kind.core_type == "IntelAtom") return "efficiency";
  if (!kind.has_capacity || rank < 0) return {};
  if (rank == kinds - 1) return "performance";
  return rank == 0 ? "efficiency" : "middle";
}

void NoteKinds(hwloc_topology_t topology, std::vector<CpuPlace>& places) {
  const int kinds = hwloc_cpukinds_get_nr(topology, 0);
  if (kinds < 2) return;
  const Bitmap cpus(hwloc_bitmap_alloc());
  for (int i = 0; i < kinds; ++i) {
    int rank = -1;
    unsigned info_count = 0;
    hwloc_info_s* infos = nullptr;
    if (hwloc_cpukinds_get_info(topology, static_cast<unsigned>(i), cpus.get(), &rank, &info_count,
                                &infos, 0) != 0) {
      continue;
    }
    const std::string_view name = KindName(ReadKind(infos, info_count), rank, kinds);
    ForEachIn(cpus.get(), places, [name](CpuPlace& place) { place.kind = name; });
  }
}

// Intel's processors say what a core is only to code that runs on it, so that hwloc would have to
// visit each; the kernel did so at boot, and lists the CPUs of each kind with their counters.
void NoteKindsByPmu(const std::vector<CorePmu>& pmus, std::vector<CpuPlace>& places) {
  for (const CorePmu& pmu : pmus) {
    for (CpuPlace& place : places) {
      if (std::ranges::binary_search(pmu.cpus, place.cpu)) place.kind = CoreKind(pmu);
    }
  }
}

}  // namespace

Result<std::vector<CpuPlace>> ReadTopology(const std::optional<fs::path>& recorded) {
  const Topology topology = TRY(Load(recorded));
  std::vector<CpuPlace> places = PlaceCpus(topology.get());
  // hwloc trusts what an XML file says of each object, and does not compare one with the other.
  const bool repeats = std::ranges::adjacent_find(places, {}, &CpuPlace::cpu) != places.end();
  if (recorded && (places.empty() || repeats)) return CannotRead(*recorded, kDamaged);
  NoteNumaNodes(topology.get(), places);
  NoteKinds(topology.get(), places);
  const bool named = std::ranges::any_of(places, [](auto& place) { return !place.kind.empty(); });
  if (!recorded && !named) NoteKindsByPmu(ReadCorePmus(), places);
  return places;
}

Result<std::vector<CacheClaim>> ReadCaches(int cpu, const std::optional<fs::path>& recorded) {
  const Topology topology = TRY(Load(recorded));
  std::vector<CacheClaim> caches;
  hwloc_obj_t around = hwloc_get_pu_obj_by_os_index(topology.get(), static_cast<unsigned>(cpu));
  for (; around != nullptr; around = around->parent) {
    if (hwloc_obj_type_is_dcache(around->type) == 0 || around->attr->cache.size == 0) continue;
    caches.push_back({static_cast<int>(around->attr->cache.depth),
                      static_cast<std::int64_t>(around->attr->cache.size),
                      std::max(hwloc_bitmap_weight(around->cpuset), 1)});
  }
  return caches;
}

}  // namespace cyclescope::os
