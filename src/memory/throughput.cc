#include "memory/throughput.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "arch/memory_loops.h"
#include "memory/stream_threads.h"
#include "memory/values.h"
#include "os/clock.h"

namespace cyclescope::memory {
namespace {

using std::chrono::milliseconds;

BandwidthKind KindOf(arch::StreamKind kind) {
  switch (kind) {
    case arch::StreamKind::kRead:
      return BandwidthKind::kRead;
    case arch::StreamKind::kWrite:
      return BandwidthKind::kWrite;
    case arch::StreamKind::kCopy:
      return BandwidthKind::kCopy;
    case arch::StreamKind::kWriteAround:
      return BandwidthKind::kNonTemporal;
  }
  std::unreachable();
}

constexpr std::array kKinds = {arch::StreamKind::kRead, arch::StreamKind::kWrite,
                               arch::StreamKind::kCopy, arch::StreamKind::kWriteAround};

os::AreaWish WishOf(const ThroughputSettings& settings) {
  return {.huge = settings.pages == PageKind::kHuge, .node = settings.node};
}

// The streams' rate in several looks of some milliseconds each, in 10^9 bytes per second.
std::vector<double> Rates(StreamThreads& threads, const StreamJob& job, int visits) {
  constexpr milliseconds kWarmUp(2);
  constexpr milliseconds kLook(6);
  std::vector<double> rates;
  threads.Go(job);
  threads.BytesPerSecond(kWarmUp);
  for (int i = 0; i < visits; ++i) rates.push_back(threads.BytesPerSecond(kLook) / 1e9);
  threads.Rest();
  return rates;
}

// The chains' time per load, or unset where every try was disturbed.
std::optional<MemoryValue> FollowChains(Gauge& gauge, std::span<const void* const> starts,
                                        int chains, std::uint32_t lines,
                                        const ThroughputSettings& settings, Result<void>& failed) {
  std::vector<const void*> at;
  for (std::size_t i = 0; i < starts.size(); i += starts.size() / static_cast<std::size_t>(chains))
    at.push_back(starts[i]);
  // Of all chains together: about as many loads as there are lines, within bounds.
  const std::uint64_t all = std::clamp<std::uint64_t>(lines, 8192, 32768);
  const std::uint64_t loads = all / static_cast<std::uint64_t>(chains);
  arch::FollowMany(at, loads);
  std::vector<double> values;
  for (int visit = 0; visit < settings.visits; ++visit) {
    const auto timed = gauge.Time(3, [&] { arch::FollowMany(at, loads); });
    if (!timed) {
      failed = std::unexpected(timed.error());
      return std::nullopt;
    }
    for (const double ns : timed->nanoseconds) {
      values.push_back(ns / static_cast<double>(loads) / chains);
    }
  }
  if (values.empty()) return std::nullopt;
  return ValueOf(values, settings.confidence);
}

}  // namespace

std::vector<LevelFootprint> FootprintsOf(const std::vector<MemoryLevel>& levels,
                                         std::int64_t most_bytes) {
  constexpr std::int64_t kPart = 4096;
  std::vector<LevelFootprint> footprints;
  double before = 0;
  for (const MemoryLevel& level : levels) {
    const double end = level.capacity ? level.capacity->value : static_cast<double>(most_bytes);
    // In the middle, but not further from the end than half of it.
    const double middle = level.capacity ? std::max(std::sqrt(before * end), end / 2) : end;
    const std::int64_t bytes =
        std::min(static_cast<std::int64_t>(middle) / kPart * kPart, most_bytes);
    footprints.push_back({level.name, std::max(bytes, kPart)});
    before = end;
  }
  return footprints;
}

Result<std::vector<MemoryParallelism>> MeasureParallelism(
    Gauge& gauge, ChaseSource& source, const std::vector<LevelFootprint>& footprints,
    const ThroughputSettings& settings, const GoesOn& goes_on) {
  std::vector<MemoryParallelism> all;
  for (const LevelFootprint& footprint : footprints) {
    MemoryParallelism parallelism = {footprint.level, footprint.bytes, {}};
    const Chase chase = {ChaseOrder::kRandom, settings.pages, footprint.bytes};
    const std::uint32_t lines = source.LinesOf(chase);
    const int most_chains = static_cast<int>(std::min(std::bit_floor(lines / 2), 32u));
    const auto starts = source.Link(chase, static_cast<std::uint32_t>(most_chains));
    if (!starts) return std::unexpected(starts.error());
    for (int chains = 1; chains <= most_chains && goes_on(); chains *= 2) {
      Result<void> failed;
      const auto value = FollowChains(gauge, *starts, chains, lines, settings, failed);
      if (!failed) return std::unexpected(failed.error());
      if (!value) continue;
      if (parallelism.points.empty() && chains > 1) break;  // there is nothing to compare with
      const double alone =
          parallelism.points.empty() ? value->value : parallelism.points.front().nanoseconds.value;
      parallelism.points.push_back({chains, *value, alone / value->value});
    }
    all.push_back(std::move(parallelism));
    if (!goes_on()) break;
  }
  return all;
}

Result<std::vector<MemoryBandwidth>> MeasureBandwidth(Gauge& gauge,
                                                      const std::vector<LevelFootprint>& footprints,
                                                      const ThroughputSettings& settings,
                                                      const GoesOn& goes_on) {
  std::vector<MemoryBandwidth> all;
  std::vector<os::CpuList> groups = {{settings.cpu}};
  if (settings.all_cpus.size() > 1) groups.push_back(settings.all_cpus);
  for (const os::CpuList& cpus : groups) {
    const auto each = static_cast<std::size_t>(settings.most_bytes) / cpus.size();
    auto threads = StreamThreads::Start(cpus, each, WishOf(settings));
    if (!threads) return std::unexpected(threads.error());
    for (const LevelFootprint& footprint : footprints) {
      const std::size_t bytes = std::min(static_cast<std::size_t>(footprint.bytes), each);
      for (const arch::StreamKind kind : kKinds) {
        if (!goes_on()) return all;
        const arch::Stream& stream = WidestStream(kind, settings.features);
        MemoryBandwidth row = {.level = footprint.level,
                               .bytes = static_cast<std::int64_t>(bytes),
                               .kind = KindOf(kind),
                               .instruction = std::string(stream.instruction),
                               .cpus = static_cast<int>(cpus.size())};
        const auto before = gauge.IsContended();
        if (!before) return std::unexpected(before.error());
        row.gigabytes =
            ValueOf(Rates(**threads, {&stream, bytes, 0}, settings.visits), settings.confidence);
        const auto after = gauge.IsContended();
        if (!after) return std::unexpected(after.error());
        row.contended = *before || *after;
        all.push_back(std::move(row));
      }
    }
  }
  return all;
}

Result<std::vector<LoadedLatency>> MeasureLoadedLatency(Gauge& gauge, ChaseSource& source,
                                                        const ThroughputSettings& settings,
                                                        const GoesOn& goes_on) {
  os::CpuList others = settings.all_cpus;
  std::erase(others, settings.cpu);
  if (others.empty()) return std::vector<LoadedLatency>();
  const auto each = static_cast<std::size_t>(settings.most_bytes / 2) / others.size();
  auto threads = StreamThreads::Start(others, each, WishOf(settings));
  if (!threads) return std::unexpected(threads.error());
  const arch::Stream& stream = WidestStream(arch::StreamKind::kRead, settings.features);
  const Chase chase = {ChaseOrder::kRandom, settings.pages, settings.most_bytes / 2};
  std::vector<LoadedLatency> all;
  // Pauses after each page; -1: no load at all.
  for (const std::int64_t pause_ns : {-1, 12800, 3200, 1600, 800, 400, 200, 0}) {
    if (!goes_on()) break;
    const auto linked = source.Link(chase, 1);
    if (!linked) return std::unexpected(linked.error());
    const void* at = linked->front();
    if (pause_ns >= 0) (*threads)->Go({&stream, each, pause_ns});
    constexpr std::uint64_t kLoops = 128;
    at = arch::Follow(at, kLoops);
    std::vector<double> nanoseconds;
    std::vector<double> gigabytes;
    for (int visit = 0; visit < settings.visits; ++visit) {
      const std::uint64_t bytes_before = (*threads)->BytesSoFar();
      const std::int64_t begin = os::MonotonicNanoseconds();
      const auto timed = gauge.Time(3, [&] { at = arch::Follow(at, kLoops); });
      const double rate = static_cast<double>((*threads)->BytesSoFar() - bytes_before) /
                          static_cast<double>(os::MonotonicNanoseconds() - begin);
      if (!timed) return std::unexpected(timed.error());
      for (const double ns : timed->nanoseconds) {
        nanoseconds.push_back(ns / static_cast<double>(kLoops * arch::kLoadsPerLoop));
      }
      if (!timed->nanoseconds.empty()) gigabytes.push_back(rate);
    }
    if (pause_ns >= 0) (*threads)->Rest();
    if (nanoseconds.empty()) continue;
    all.push_back(
        {ValueOf(gigabytes, settings.confidence), ValueOf(nanoseconds, settings.confidence)});
  }
  return all;
}

Result<std::vector<MemoryPlace>> MeasurePlaces(Gauge& gauge, const std::vector<int>& nodes,
                                               const ThroughputSettings& settings,
                                               const GoesOn& goes_on) {
  std::vector<MemoryPlace> places;
  for (const int node : nodes) {
    if (!goes_on()) break;
    ThroughputSettings at_node = settings;
    at_node.node = node;
    std::vector<double> nanoseconds;
    {
      ChaseSource source(gauge, {.most_bytes = settings.most_bytes,
                                 .line_bytes = arch::CacheLineBytes(),
                                 .node = node,
                                 .seed = static_cast<std::uint64_t>(node) + 1});
      for (int i = 0; i < 3; ++i) {
        const auto visit = source.Visit({ChaseOrder::kRandom, settings.pages, settings.most_bytes});
        if (!visit) return std::unexpected(visit.error());
        nanoseconds.insert(nanoseconds.end(), visit->nanoseconds.begin(), visit->nanoseconds.end());
      }
    }
    if (nanoseconds.empty()) continue;
    auto threads = StreamThreads::Start(
        {settings.cpu}, static_cast<std::size_t>(settings.most_bytes), WishOf(at_node));
    if (!threads) return std::unexpected(threads.error());
    const arch::Stream& stream = WidestStream(arch::StreamKind::kRead, settings.features);
    const std::vector<double> rates = Rates(
        **threads, {&stream, static_cast<std::size_t>(settings.most_bytes), 0}, settings.visits);
    places.push_back({settings.cpu, node, ValueOf(nanoseconds, settings.confidence),
                      ValueOf(rates, settings.confidence)});
  }
  return places;
}

}  // namespace cyclescope::memory
