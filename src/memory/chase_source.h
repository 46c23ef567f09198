// The latency of footprints on this machine: lines are linked to a cycle in memory, and followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "curves/latency_source.h"
#include "curves/load_times.h"
#include "cyclescope/base/error.h"
#include "memory/footprint.h"
#include "memory/gauge.h"
#include "os/memory_area.h"

namespace cyclescope::memory {

struct ChaseSettings {
  std::int64_t most_bytes = 0;  // of all footprints
  int line_bytes = 64;
  std::optional<int> node;
  // Samples of a visit to a small footprint, each on pages of its own.
  int draws = 3;
  // Rounds that go before the first sample.
  std::uint64_t rounds = 6;
  std::uint64_t seed = 1;
};

class ChaseSource final : public curves::LatencySource {
 public:
  // The thread that uses it must be the gauge's.
  ChaseSource(Gauge& gauge, const ChaseSettings& settings) : gauge_(gauge), settings_(settings) {}

  Result<curves::ChaseVisit> Visit(const curves::Chase& chase) override;

  // How long single loads of a footprint took, while no other thread shared the core; unset where
  // one did.
  Result<std::optional<curves::LoadTimes>> TimeLoads(const curves::Chase& chase);

  // How many lines a footprint has.
  std::uint32_t LinesOf(const curves::Chase& chase) const;
  // Links a footprint to be followed in another way, and returns `starts` of its lines, equally
  // far apart in their order.
  Result<std::vector<const void*>> Link(const curves::Chase& chase, std::uint32_t starts);

  std::int64_t PageBytes(PageKind pages) const;
  // Where the memory in use now lies.
  Result<os::AreaPlacement> Placement() const;

  // Gives the memory back.
  void Release() { area_.reset(); }

 private:
  struct Area {
    PageKind pages;
    os::MemoryArea memory;
    FootprintDrawer drawer;
  };

  Result<void> Prepare(PageKind pages);
  // Line i of the area.
  std::byte* At(std::uint32_t line) const {
    return area_->memory.begin() +
           std::size_t{line} * static_cast<std::size_t>(settings_.line_bytes);
  }
  // Follows enough loads for the caches to be as they stay; how long one took where nothing came in
  // between.
  double WarmUp(const curves::Chase& chase, const void*& at) const;
  // Some samples on pages of their own.
  Result<curves::ChaseVisit> VisitOnce(const curves::Chase& chase, int samples);

  Gauge& gauge_;
  ChaseSettings settings_;
  std::optional<Area> area_;
};

}  // namespace cyclescope::memory
