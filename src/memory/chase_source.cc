#include "memory/chase_source.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "arch/architecture.h"
#include "arch/memory_loops.h"
#include "base/try.h"
#include "os/clock.h"

namespace cyclescope::memory {
namespace {

constexpr int kSamples = 3;
// Caches learn which lines are worth keeping: a loop over 4 MB took an Emerald Rapids 90 ns a load
// in the first two rounds and 41 from the fifth on, and a Neoverse V1 75 and then 30. So rounds go
// before the first sample. Footprints beyond this size get a part of one, since it takes long, and
// most of their loads go to memory anyway.
constexpr std::int64_t kMaxWarmedBytes = std::int64_t{16} << 20;
constexpr std::uint64_t kWarmUpBeyond = 1 << 14;
constexpr std::uint64_t kWarmUpPart = 2048;
// Footprints up to this size are drawn anew for each sample: it takes little time, and how their
// lines share the sets of a cache is chance.
constexpr std::int64_t kMaxRedrawnBytes = std::int64_t{1} << 20;
// How long a sample lasts, at most and at least.
constexpr double kMostSampleNs = 700'000;
constexpr double kLeastSampleNs = 25'000;

// Of single loads: how many at a time; longer ones are all alike.
constexpr std::uint32_t kMostTimedLoads = 1 << 13;
constexpr std::uint64_t kMostTicks = 1 << 12;

}  // namespace

std::int64_t ChaseSource::PageBytes(PageKind pages) const {
  const std::size_t small = os::SmallPageBytes();
  return static_cast<std::int64_t>(pages == PageKind::kSmall ? small
                                                             : os::HugePageBytes().value_or(small));
}

Result<void> ChaseSource::Prepare(PageKind pages) {
  if (area_ && area_->pages == pages) return {};
  area_.reset();  // before there is another: never both
  auto memory =
      TRY(os::MemoryArea::Map(static_cast<std::size_t>(settings_.most_bytes),
                              {.huge = pages == PageKind::kHuge, .node = settings_.node}));
  const auto page_bytes = static_cast<std::size_t>(PageBytes(pages));
  const AreaShape shape = {
      static_cast<std::uint32_t>(memory.bytes() / page_bytes),
      static_cast<std::uint32_t>(page_bytes / static_cast<std::size_t>(settings_.line_bytes))};
  area_.emplace(pages, std::move(memory), FootprintDrawer(shape, settings_.seed));
  return {};
}

Result<os::AreaPlacement> ChaseSource::Placement() const {
  return area_ ? area_->memory.ReadPlacement() : os::AreaPlacement();
}

std::uint32_t ChaseSource::LinesOf(const curves::Chase& chase) const {
  const std::int64_t unit =
      chase.order == ChaseOrder::kLinePerPage ? PageBytes(chase.pages) : settings_.line_bytes;
  return static_cast<std::uint32_t>(std::max<std::int64_t>(chase.bytes / unit, 2));
}

Result<std::vector<const void*>> ChaseSource::Link(const curves::Chase& chase,
                                                   std::uint32_t starts) {
  TRY(Prepare(chase.pages));
  const std::uint32_t count = LinesOf(chase);
  assert(0 < starts && starts <= count);
  std::vector<const void*> places;
  std::byte* last = nullptr;
  std::uint64_t done = 0;
  area_->drawer.Draw(chase.order, count, [&](std::span<const std::uint32_t> part) {
    for (const std::uint32_t line : part) {
      std::byte* const at = At(line);
      if (last != nullptr) *reinterpret_cast<const void**>(last) = at;
      if (done++ == places.size() * count / starts && places.size() < starts) places.push_back(at);
      last = at;
    }
  });
  *reinterpret_cast<const void**>(last) = places.front();
  return places;
}

Result<curves::ChaseVisit> ChaseSource::Visit(const curves::Chase& chase) {
  if (chase.bytes > kMaxRedrawnBytes || settings_.draws == 1) return VisitOnce(chase, kSamples);
  curves::ChaseVisit visit;
  for (int i = 0; i < settings_.draws; ++i) {
    const auto sample = TRY(VisitOnce(chase, 1));
    visit.cycles.insert(visit.cycles.end(), sample.cycles.begin(), sample.cycles.end());
    visit.nanoseconds.insert(visit.nanoseconds.end(), sample.nanoseconds.begin(),
                             sample.nanoseconds.end());
    visit.contended |= sample.contended;
  }
  return visit;
}

double ChaseSource::WarmUp(const curves::Chase& chase, const void*& at) const {
  const std::uint64_t loads =
      chase.bytes > kMaxWarmedBytes
          ? kWarmUpBeyond
          : std::max<std::uint64_t>(settings_.rounds * LinesOf(chase), 2 * kWarmUpPart);
  // In parts, of which the fastest tells how long a load takes: others may run in between.
  double load_ns = std::numeric_limits<double>::infinity();
  for (std::uint64_t done = 0; done < loads; done += kWarmUpPart) {
    const std::uint64_t begin = arch::ReadTicks();
    at = arch::Follow(at, kWarmUpPart / arch::kLoadsPerLoop);
    const double ticks = static_cast<double>(arch::ReadTicks() - begin);
    load_ns = std::min(load_ns, gauge_.instrument().clock().Nanoseconds(ticks) / kWarmUpPart);
  }
  return load_ns;
}

Result<curves::ChaseVisit> ChaseSource::VisitOnce(const curves::Chase& chase, int samples) {
  const auto linked = TRY(Link(chase, 1));
  const void* at = linked.front();
  const std::uint32_t count = LinesOf(chase);
  // A thread that gets the core in between takes the caches, too.
  constexpr int kTries = 4;
  std::uint64_t loops = 0;
  Result<Timed> timed;
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t switches = os::ContextSwitches();
    const double load_ns = WarmUp(chase, at);
    // A whole round where it is short enough, so that no part of the footprint counts more.
    const double sample_ns = std::clamp(load_ns * count, kLeastSampleNs, kMostSampleNs);
    loops = static_cast<std::uint64_t>(
        std::ceil(sample_ns / load_ns / static_cast<double>(arch::kLoadsPerLoop)));
    timed = gauge_.Time(samples, [&] { at = arch::Follow(at, loops); });
    if (!timed) return std::unexpected(timed.error());
    if (chase.bytes > kMaxRedrawnBytes || os::ContextSwitches() == switches) break;
    timed->contended = true;
  }
  const double loads = static_cast<double>(loops * arch::kLoadsPerLoop);
  for (double& each : timed->nanoseconds) each /= loads;
  for (double& each : timed->cycles) each /= loads;
  return curves::ChaseVisit{std::move(timed->cycles), std::move(timed->nanoseconds),
                            timed->contended};
}

Result<std::optional<curves::LoadTimes>> ChaseSource::TimeLoads(const curves::Chase& chase) {
  const auto linked = TRY(Link(chase, 1));
  const void* at = linked.front();
  WarmUp(chase, at);
  // Counted at once, since a list of them would take room in the caches.
  curves::LoadTimes times = {chase.bytes, std::vector<std::uint32_t>(kMostTicks), 0};
  const std::uint32_t loads = std::min(LinesOf(chase), kMostTimedLoads);
  const auto timed = TRY(gauge_.Time(1, [&] {
    std::ranges::fill(times.counts, 0);
    for (std::uint32_t i = 0; i < loads; ++i) {
      const std::uint64_t begin = arch::ReadTicks();
      at = *static_cast<const void* const volatile*>(at);
      const std::uint64_t ticks = arch::ReadTicks() - begin;
      ++times.counts[std::min<std::uint64_t>(ticks, kMostTicks - 1)];
    }
  }));
  if (timed.contended || timed.cycles.empty()) return std::nullopt;
  const double cycles_per_ns = timed.cycles.front() / timed.nanoseconds.front();
  times.cycles_per_tick = cycles_per_ns * gauge_.instrument().clock().Nanoseconds(1);
  return times;
}

}  // namespace cyclescope::memory
