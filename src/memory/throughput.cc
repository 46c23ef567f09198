#include "memory/throughput.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "arch/memory_loops.h"
#include "base/try.h"
#include "memory/stream_threads.h"
#include "os/clock.h"
#include "statistics/sample_groups.h"
#include "statistics/statistics.h"

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

// The streams' rate in several looks of some milliseconds each, in 10^9 bytes per second. A look in
// which no thread came to run, as on a machine that others keep busy, tells nothing and is left
// out.
std::vector<double> Rates(StreamThreads& threads, const StreamJob& job, int visits) {
  constexpr milliseconds kWarmUp(2);
  constexpr milliseconds kLook(6);
  std::vector<double> rates;
  threads.Go(job);
  threads.BytesPerSecond(kWarmUp);
  for (int i = 0; i < visits; ++i) {
    const double rate = threads.BytesPerSecond(kLook) / 1e9;
    if (rate > 0) rates.push_back(rate);
  }
  threads.Rest();
  return rates;
}

// The memory of each of several CPUs: all of them together use as much as one would, but each at
// least some times what the last cache that it shares with no other CPU holds, so that it is in
// memory.
std::size_t AreaOfEach(const std::vector<LevelFootprint>& footprints, std::size_t cpus,
                       const ThroughputSettings& settings) {
  constexpr std::int64_t kTimes = 16;
  std::int64_t own = 0;
  for (const LevelFootprint& footprint : footprints) {
    if (footprint.sharing == 1 && &footprint != &footprints.back()) own = footprint.bytes;
  }
  const auto count = static_cast<std::int64_t>(cpus);
  const std::int64_t wanted = std::max(settings.most_bytes / count, kTimes * own);
  return static_cast<std::size_t>(
      std::min({wanted, settings.most_bytes, settings.limit_bytes / count}));
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
    // Samples right after each other share what disturbs them: a visit is one value.
    if (timed->nanoseconds.empty()) continue;
    values.push_back(statistics::Median(timed->nanoseconds) / static_cast<double>(loads) / chains);
  }
  if (values.empty()) return std::nullopt;
  return statistics::ValueOf(values, settings.confidence);
}

// A chain while threads stream, or unset where every look was disturbed. A look is long in
// comparison with the time for which others may keep a thread from running.
Result<std::optional<LoadedLatency>> FollowUnderLoad(Gauge& gauge, const StreamThreads& threads,
                                                     const void*& at,
                                                     const ThroughputSettings& settings) {
  constexpr std::uint64_t kLoops = 128;
  constexpr std::int64_t kLookNs = 6'000'000;
  at = arch::Follow(at, kLoops);
  std::vector<double> nanoseconds;
  std::vector<double> gigabytes;
  for (int visit = 0; visit < settings.visits; ++visit) {
    const std::uint64_t bytes_before = threads.BytesSoFar();
    const std::int64_t begin = os::MonotonicNanoseconds();
    std::vector<double> looks;
    do {
      const auto timed = TRY(gauge.Time(1, [&] { at = arch::Follow(at, kLoops); }));
      for (const double ns : timed.nanoseconds)
        looks.push_back(ns / static_cast<double>(kLoops * arch::kLoadsPerLoop));
    } while (os::MonotonicNanoseconds() - begin < kLookNs);
    const double rate = static_cast<double>(threads.BytesSoFar() - bytes_before) /
                        static_cast<double>(os::MonotonicNanoseconds() - begin);
    if (looks.empty()) continue;
    nanoseconds.push_back(statistics::Median(looks));
    gigabytes.push_back(rate);
  }
  if (nanoseconds.empty()) return std::nullopt;
  return LoadedLatency{statistics::ValueOf(gigabytes, settings.confidence),
                       statistics::ValueOf(nanoseconds, settings.confidence)};
}

}  // namespace

std::vector<LevelFootprint> FootprintsOf(const std::vector<MemoryLevel>& levels,
                                         std::int64_t most_bytes,
                                         const std::vector<os::CacheClaim>& claimed) {
  constexpr std::int64_t kRoundBytes = 4096;
  std::vector<LevelFootprint> footprints;
  double before = 0;
  for (const MemoryLevel& level : levels) {
    const double end = level.capacity ? level.capacity->value : static_cast<double>(most_bytes);
    // In the middle, but not further from the end than half of it.
    const double middle = level.capacity ? std::max(std::sqrt(before * end), end / 2) : end;
    const std::int64_t bytes =
        std::min(static_cast<std::int64_t>(middle) / kRoundBytes * kRoundBytes, most_bytes);
    footprints.push_back({level.name, std::max(bytes, kRoundBytes)});
    const auto claim =
        std::ranges::find(claimed, static_cast<int>(footprints.size()), &os::CacheClaim::level);
    if (level.capacity && claim != claimed.end()) footprints.back().sharing = claim->cpus;
    before = end;
  }
  return footprints;
}

std::optional<std::int64_t> BytesOfEach(const std::vector<LevelFootprint>& footprints,
                                        std::size_t index, std::size_t cpus,
                                        std::int64_t most_bytes_each) {
  const LevelFootprint& footprint = footprints[index];
  const auto together = std::min<std::int64_t>(footprint.sharing, static_cast<std::int64_t>(cpus));
  const std::int64_t each = std::min(footprint.bytes / together, most_bytes_each);
  // Twice what was chosen well within the one before.
  if (index > 0 && each < 2 * footprints[index - 1].bytes) return std::nullopt;
  return each;
}

Result<std::vector<MemoryParallelism>> MeasureParallelism(
    Gauge& gauge, ChaseSource& source, const std::vector<LevelFootprint>& footprints,
    const ThroughputSettings& settings, const GoesOn& goes_on) {
  std::vector<MemoryParallelism> all;
  for (const LevelFootprint& footprint : footprints) {
    MemoryParallelism parallelism = {footprint.level, footprint.bytes, {}};
    const curves::Chase chase = {ChaseOrder::kRandom, settings.pages, footprint.bytes};
    const std::uint32_t lines = source.LinesOf(chase);
    const int most_chains = static_cast<int>(std::min(std::bit_floor(lines / 2), 32u));
    const auto starts = TRY(source.Link(chase, static_cast<std::uint32_t>(most_chains)));
    for (int chains = 1; chains <= most_chains && goes_on(); chains *= 2) {
      Result<void> failed;
      const auto value = FollowChains(gauge, starts, chains, lines, settings, failed);
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
    const std::size_t area = AreaOfEach(footprints, cpus.size(), settings);
    auto threads = TRY(StreamThreads::Start(cpus, area, WishOf(settings)));
    for (std::size_t i = 0; i < footprints.size(); ++i) {
      const LevelFootprint& footprint = footprints[i];
      const auto each = BytesOfEach(footprints, i, cpus.size(), static_cast<std::int64_t>(area));
      if (!each) continue;
      const auto bytes = static_cast<std::size_t>(*each);
      for (const arch::StreamKind kind : kKinds) {
        if (!goes_on()) return all;
        const arch::Stream& stream = WidestStream(kind, settings.features);
        MemoryBandwidth row = {.level = footprint.level,
                               .bytes = static_cast<std::int64_t>(bytes),
                               .kind = KindOf(kind),
                               .instruction = std::string(stream.instruction),
                               .cpus = static_cast<int>(cpus.size())};
        const auto before = TRY(gauge.IsContended());
        const std::vector<double> rates = Rates(*threads, {&stream, bytes, 0}, settings.visits);
        if (rates.empty()) continue;
        row.gigabytes = statistics::ValueOf(rates, settings.confidence);
        const auto after = TRY(gauge.IsContended());
        row.contended = before || after;
        all.push_back(std::move(row));
      }
    }
  }
  return all;
}

Result<std::vector<LoadedLatency>> MeasureLoadedLatency(Gauge& gauge,
                                                        const ThroughputSettings& settings,
                                                        const GoesOn& goes_on) {
  os::CpuList others = settings.all_cpus;
  std::erase(others, settings.cpu);
  if (others.empty()) return std::vector<LoadedLatency>();
  // One half for the chain, one for all others.
  const std::int64_t half = settings.most_bytes / 2;
  const auto each = static_cast<std::size_t>(half) / others.size();
  auto threads = TRY(StreamThreads::Start(others, each, WishOf(settings)));
  ChaseSource source(
      gauge, {.most_bytes = half, .line_bytes = arch::CacheLineBytes(), .node = settings.node});
  const auto linked = TRY(source.Link({ChaseOrder::kRandom, settings.pages, half}, 1));
  const void* at = linked.front();
  const arch::Stream& stream = WidestStream(arch::StreamKind::kRead, settings.features);
  std::vector<LoadedLatency> all;
  // Pauses after each page; -1: no load at all.
  for (const std::int64_t pause_ns : {-1, 12800, 3200, 1600, 800, 400, 200, 0}) {
    if (!goes_on()) break;
    if (pause_ns >= 0) threads->Go({&stream, each, pause_ns});
    auto measured = FollowUnderLoad(gauge, *threads, at, settings);
    if (pause_ns >= 0) threads->Rest();
    if (!measured) return std::unexpected(measured.error());
    if (*measured) all.push_back(**measured);
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
    // Where there is only one, it need not be asked for; containers often may not.
    if (nodes.size() > 1) at_node.node = node;
    std::vector<double> nanoseconds;
    {
      ChaseSource source(gauge, {.most_bytes = settings.most_bytes,
                                 .line_bytes = arch::CacheLineBytes(),
                                 .node = at_node.node,
                                 .seed = static_cast<std::uint64_t>(node) + 1});
      for (int i = 0; i < 3; ++i) {
        const auto visit =
            TRY(source.Visit({ChaseOrder::kRandom, settings.pages, settings.most_bytes}));
        nanoseconds.insert(nanoseconds.end(), visit.nanoseconds.begin(), visit.nanoseconds.end());
      }
    }
    if (nanoseconds.empty()) continue;
    auto threads = TRY(StreamThreads::Start(
        {settings.cpu}, static_cast<std::size_t>(settings.most_bytes), WishOf(at_node)));
    const arch::Stream& stream = WidestStream(arch::StreamKind::kRead, settings.features);
    const std::vector<double> rates = Rates(
        *threads, {&stream, static_cast<std::size_t>(settings.most_bytes), 0}, settings.visits);
    if (rates.empty()) continue;
    places.push_back({settings.cpu, node, statistics::ValueOf(nanoseconds, settings.confidence),
                      statistics::ValueOf(rates, settings.confidence)});
  }
  return places;
}

}  // namespace cyclescope::memory
