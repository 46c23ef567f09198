#include "library/memory_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>

#include "base/byte_size.h"
#include "library/warnings.h"
#include "memory/experiment.h"
#include "memory/gauge.h"
#include "os/cpus.h"
#include "os/memory_area.h"
#include "os/topology.h"

namespace cyclescope::library {
namespace {

constexpr std::int64_t kMb = std::int64_t{1} << 20;
// Footprints go to several times the last cache, if that is not more than a machine has to spare or
// a user wants to wait for.
constexpr std::int64_t kLeastMost = 256 * kMb;
constexpr std::int64_t kMostMost = 1024 * kMb;
constexpr std::int64_t kQuickMost = 128 * kMb;

// Never more than half of what is free: then nobody's memory is swapped out for it.
Result<std::int64_t> MostBytes(const MemoryRun& run, const std::vector<os::CacheClaim>& claimed,
                               Document& document) {
  const auto free = os::FreeMemoryBytes();
  if (!free) return Failed("the system does not say how much memory is free");
  const std::int64_t half = *free / 2;
  std::optional<std::int64_t> asked = run.most_bytes;
  if (!run.sizes.empty()) asked = std::max(asked.value_or(0), std::ranges::max(run.sizes));
  if (asked) {
    if (*asked <= half) return *asked;
    return BadInput(fmt::format("{} are too much: {} are free, and half of it may be used",
                                FormatBytes(static_cast<double>(*asked)),
                                FormatBytes(static_cast<double>(*free))),
                    "ask for less");
  }
  const std::int64_t last = claimed.empty() ? 0 : claimed.back().bytes;
  const std::int64_t wanted = run.quick ? kQuickMost : std::clamp(4 * last, kLeastMost, kMostMost);
  if (half >= wanted) return wanted;
  constexpr std::int64_t kFewest = 4 * kMb;
  if (half < kFewest) {
    return Failed(fmt::format("{} of memory are free, which is too little to measure with",
                              FormatBytes(static_cast<double>(*free))));
  }
  AddWarnings({{"little-memory",
                fmt::format("footprints end at {}: no more than half of what is free is used",
                            FormatBytes(static_cast<double>(half))),
                "free some memory to see what lies beyond"}},
              document.warnings);
  return half;
}

Result<void> MeasureRows(const MemoryRun& run, const measure::TickClock& clock, Pulse& pulse,
                         Document& document) {
  std::optional<std::filesystem::path> recorded;
  if (!run.topology.empty()) recorded = run.topology;
  for (std::size_t i = 0; i < run.cpus.size(); ++i) {
    const int cpu = run.cpus[i];
    const auto claimed = os::ReadCaches(cpu, recorded);
    if (!claimed) return std::unexpected(claimed.error());
    const auto most_bytes = MostBytes(run, *claimed, document);
    if (!most_bytes) return std::unexpected(most_bytes.error());
    const std::chrono::duration<double> patience(run.patience_s.value_or(run.quick ? 0.2 : 3));
    auto gauge =
        memory::Gauge::SetUp(clock, cpu, run.watches->Of(cpu, document.host.topology),
                             std::chrono::duration_cast<std::chrono::nanoseconds>(patience));
    if (!gauge) return std::unexpected(gauge.error());
    const memory::MemoryPlan plan = {.cpu = cpu,
                                     .node = run.node,
                                     .most_bytes = *most_bytes,
                                     .sizes = run.sizes,
                                     .quick = run.quick,
                                     .seed = std::random_device()(),
                                     .confidence = document.config.confidence,
                                     .claimed = *claimed,
                                     .all_cpus = document.host.cpus_allowed,
                                     .features = document.host.features,
                                     .nodes = os::MemoryNodes()};
    const auto on_part = [&](std::size_t done, std::size_t total) {
      return pulse.Report(
          {.done = i * total + done, .total = run.cpus.size() * total, .part = "memory"});
    };
    auto row = memory::MeasureMemory(*gauge, plan, pulse.Question(), on_part);
    if (!row) return std::unexpected(row.error());
    document.memory.push_back(std::move(*row));
    const measure::Instrument& instrument = gauge->instrument();
    DescribeClock(instrument.DescribeClock(), instrument.Warnings(), document);
    DescribeContention(instrument.watch(), gauge->waited(), document);
    if (pulse.has_ended()) break;
  }
  return {};
}

}  // namespace

Result<void> MeasureMemoryRows(const MemoryRun& run, const measure::TickClock& clock, Pulse& pulse,
                               Document& document) {
  const auto measured = MeasureRows(run, clock, pulse, document);
  const auto unpinned = os::Unpin(document.host.cpus_allowed);
  if (!measured) return measured;
  document.partial = document.partial || document.memory.size() < run.cpus.size() ||
                     std::ranges::any_of(document.memory, &MemoryRow::partial);
  return unpinned;
}

}  // namespace cyclescope::library
