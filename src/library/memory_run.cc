#include "library/memory_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>

#include "base/byte_size.h"
#include "base/try.h"
#include "library/memory_accesses.h"
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
constexpr std::int64_t kLeastLargestBytes = 256 * kMb;
constexpr std::int64_t kMostLargestBytes = 1024 * kMb;
constexpr std::int64_t kQuickLargestBytes = 128 * kMb;

struct MemoryBounds {
  std::int64_t footprint = 0;
  std::int64_t all = 0;  // at a time
};

// Never more than half of what is free: then no other process's memory is swapped out for it.
Result<MemoryBounds> BoundsOf(const MemoryRun& run, const std::vector<os::CacheClaim>& claimed,
                              Document& document) {
  const auto free = os::FreeMemoryBytes();
  if (!free) return Failed("the system does not say how much memory is free");
  const std::int64_t half = *free / 2;
  std::optional<std::int64_t> asked = run.most_bytes;
  if (!run.sizes.empty()) asked = std::max(asked.value_or(0), std::ranges::max(run.sizes));
  if (asked) {
    if (*asked <= half) return MemoryBounds{*asked, half};
    return BadInput(fmt::format("{} is too much: {} is free, and at most half of it may be used",
                                FormatBytes(static_cast<double>(*asked)),
                                FormatBytes(static_cast<double>(*free))),
                    "ask for less");
  }
  const std::int64_t last = claimed.empty() ? 0 : claimed.back().bytes;
  const std::int64_t wanted =
      run.quick ? kQuickLargestBytes : std::clamp(4 * last, kLeastLargestBytes, kMostLargestBytes);
  if (half >= wanted) return MemoryBounds{wanted, half};
  constexpr std::int64_t kLeastFreeBytes = 4 * kMb;
  if (half < kLeastFreeBytes) {
    return Failed(fmt::format("{} of memory are free, which is too little to measure with",
                              FormatBytes(static_cast<double>(*free))));
  }
  AddWarnings({{"little-memory",
                fmt::format("footprints end at {}: no more than half of what is free is used",
                            FormatBytes(static_cast<double>(half))),
                "free some memory to see what lies beyond"}},
              document.warnings);
  return MemoryBounds{half, half};
}

// But for how it moves to other CPUs.
memory::MemoryPlan PlanOf(const MemoryRun& run, int cpu, const std::vector<os::CacheClaim>& claimed,
                          const MemoryBounds& bounds, const Document& document) {
  const Host& host = document.host;
  return {.cpu = cpu,
          .node = run.node,
          .most_bytes = bounds.footprint,
          .limit_bytes = bounds.all,
          .sizes = run.sizes,
          .quick = run.quick,
          .most_time = run.most_time,
          .seed = std::random_device()(),
          .confidence = document.config.confidence,
          .virtual_machine = host.hypervisor != "none",
          .claimed = claimed,
          .all_cpus = host.cpus_allowed,
          .features = host.features,
          .nodes = os::MemoryNodes(),
          .place_cpus = memory::CpusThatDiffer(host.topology, host.cpus_allowed, cpu),
          .gauge_at = {}};
}

Result<void> MeasureRows(const MemoryRun& run, const measure::TickClock& clock, Pulse& pulse,
                         Document& document) {
  std::optional<std::filesystem::path> recorded;
  if (!run.topology.empty()) recorded = run.topology;
  ClockVerdicts verdicts;
  for (std::size_t i = 0; i < run.cpus.size(); ++i) {
    const int cpu = run.cpus[i];
    const auto claimed = TRY(os::ReadCaches(cpu, recorded));
    const auto bounds = TRY(BoundsOf(run, claimed, document));
    const std::chrono::duration<double> patience(run.patience_s.value_or(run.quick ? 0.2 : 3));
    const auto gauge_at = [&](int at) {
      return memory::Gauge::SetUp(clock, at, run.watches->Of(at, document.host.topology),
                                  std::chrono::duration_cast<std::chrono::nanoseconds>(patience));
    };
    auto gauge = TRY(gauge_at(cpu));
    const auto begin = std::chrono::steady_clock::now();
    memory::MemoryPlan plan = PlanOf(run, cpu, claimed, bounds, document);
    plan.gauge_at = gauge_at;
    const auto on_part = [&](std::size_t done, std::size_t total) {
      return pulse.Report(
          {.done = i * total + done, .total = run.cpus.size() * total, .part = "memory"});
    };
    const auto on_refused = [&document](std::string_view part, const Error& why) {
      document.warnings.push_back(
          {"memory-part", fmt::format("{}: not measured: {}", part, why.message), why.hint});
    };
    auto row = TRY(memory::MeasureMemory(gauge, plan, pulse.Question(), on_part, on_refused));
    if (run.accesses && !pulse.has_ended()) {
      const auto left =
          run.most_time + run.access_time - (std::chrono::steady_clock::now() - begin);
      const auto measured = MeasureAccesses({.cpu = cpu, .most_time = left, .watches = run.watches},
                                            document.host, pulse, row);
      if (!measured) on_refused("accesses", measured.error());
      row.partial = pulse.has_ended();
    }
    document.memory.push_back(std::move(row));
    const measure::Instrument& instrument = gauge.instrument();
    verdicts.Add(cpu, instrument.watch(), instrument.DescribeClock(), instrument.Warnings());
    verdicts.Describe(document);
    DescribeContention(instrument.watch(), gauge.waited(), document);
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
