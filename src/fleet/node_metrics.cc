#include "fleet/node_metrics.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/row_figures.h"
#include "cyclescope/result/document.h"
#include "statistics/statistics.h"

namespace cyclescope::fleet {
namespace {

// Half of an interval over its standard error: intervals are made with Student's distribution from
// few visits, which makes them wider than this. The error is then a little too large, which costs
// power and raises no false alarm.
constexpr double kHalfWidthOverError = 1.96;

class Extraction {
 public:
  Extraction(MetricTable& metrics, std::vector<MetricValue>& values)
      : metrics_(metrics), values_(values) {}

  void Add(std::string_view name, MetricKind kind, std::string_view unit, double value, double low,
           double high) {
    if (!std::isfinite(value) || (!IsShare(kind) && value <= 0)) return;
    MetricValue added;
    added.metric = metrics_.Number(name, kind, unit);
    // A name that a document gives twice (two opcodes may print alike) counts once.
    if (std::ranges::find(values_, added.metric, &MetricValue::metric) != values_.end()) return;
    added.place = ToScale(kind, value);
    if (std::isfinite(low) && std::isfinite(high) && high > low) {
      const double width = IsShare(kind) ? high - low : (high - low) / value;
      added.error = width / 2 / kHalfWidthOverError;
    }
    values_.push_back(added);
  }

  void Add(std::string_view name, MetricKind kind, std::string_view unit, const Estimate& value) {
    Add(name, kind, unit, value.value, value.low, value.high);
  }

  void Add(std::string_view name, MetricKind kind, std::string_view unit,
           const MemoryValue& value) {
    Add(name, kind, unit, value.value, value.low, value.high);
  }

 private:
  MetricTable& metrics_;
  std::vector<MetricValue>& values_;
};

// What was measured beside another thread is a bound, and makes no verdict: that it was shared is a
// metric of its own. A job waits for its slowest core, so that the slowest counts by itself.
void AddClocks(const Document& document, Extraction& extraction) {
  std::vector<const Estimate*> rates;
  for (const FrequencyRow& row : document.frequency) {
    if (row.core_ghz.value > 0 && row.self_check_passed && !row.core_ghz.contended)
      rates.push_back(&row.core_ghz);
  }
  if (rates.empty()) return;
  std::ranges::sort(rates, {}, &Estimate::value);
  extraction.Add("core clock", MetricKind::kClock, "GHz", *rates[rates.size() / 2]);
  extraction.Add("slowest core's clock", MetricKind::kClock, "GHz", *rates.front());
}

void AddInstructions(const Document& document, Extraction& extraction) {
  for (const InstructionRow& row : document.instructions) {
    if (row.heading.empty() || row.status != Status::kMeasured) continue;
    const Latency* latency = LongestLatency(row);
    if (latency != nullptr && !IsUpperBound(*latency) && !latency->cycles.contended) {
      extraction.Add(row.text + ": latency", MetricKind::kInstruction, "cycles", latency->cycles);
    }
    if (row.throughput && !IsUpperBound(*row.throughput)) {
      extraction.Add(row.text + ": throughput", MetricKind::kInstruction, "cycles",
                     row.throughput->cycles);
    }
  }
}

// Nine tenths of the visits are between a level's ends. Pairs differ in the same way on every node,
// but rounds do not repeat: what they say of the centre is that range over the root of their
// number.
void AddCores(const Document& document, Extraction& extraction) {
  for (const CoreMatrix& cores : document.cores) {
    for (const CoreLevel& level : cores.spectrum.levels) {
      constexpr double kNineTenthsWithin = 1.645;
      const double error = std::max(0.0, level.high - level.low) / (2 * kNineTenthsWithin) /
                           std::sqrt(std::max(1, cores.rounds));
      const double half = kHalfWidthOverError * error;
      extraction.Add(fmt::format("{}: {}", cores.test, level.name), MetricKind::kCores, "ns",
                     level.nanoseconds, level.nanoseconds - half, level.nanoseconds + half);
    }
  }
}

// A core's own caches run with its clock: in cycles they are the same on a slow core.
void AddMemory(const Document& document, Extraction& extraction) {
  if (document.memory.empty()) return;
  const MemoryRow& row = document.memory.front();
  for (const MemoryLevel& level : row.levels) {
    if (level.contended) continue;
    const bool of_core = level.name == "L1" || level.name == "L2";
    extraction.Add(level.name, MetricKind::kMemoryLatency, of_core ? "cycles" : "ns",
                   of_core ? level.cycles : level.nanoseconds);
  }
  for (const MemoryBandwidth& bandwidth : row.bandwidth) {
    if (bandwidth.contended) continue;
    extraction.Add(fmt::format("{} {}, {} CPU{}", bandwidth.level, ToString(bandwidth.kind),
                               bandwidth.cpus, bandwidth.cpus == 1 ? "" : "s"),
                   MetricKind::kBandwidth, "GB/s", bandwidth.gigabytes);
  }
}

// Whole windows alone: those of a shared core are smaller for a reason that is a metric of its own.
void AddCoreSizes(const Document& document, Extraction& extraction) {
  if (!document.anatomy) return;
  for (const AnatomyRow& row : document.anatomy->rows) {
    if (row.part != AnatomyPart::kWindows || !row.value) continue;
    if (DoubtOfSize(row, document.host)) continue;
    extraction.Add(fmt::format("{} ({})", row.name, row.filler), MetricKind::kCoreSize, row.unit,
                   row.value->value, row.value->low, row.value->high);
  }
}

// Stolen time is counted by the system, all of it. Time with a neighbour is seen in probes, and as
// sure as they are many.
void AddShares(const Document& document, Extraction& extraction) {
  if (document.host.stolen_share) {
    const double share = *document.host.stolen_share;
    extraction.Add("stolen time", MetricKind::kStolen, "", share, share, share);
  }
  double shared = 0;
  double probes = 0;
  for (const Contention& contention : document.contention) {
    shared += contention.share * contention.probes;
    probes += contention.probes;
  }
  if (probes <= 0) return;
  const double share = shared / probes;
  extraction.Add("time with a neighbour", MetricKind::kNeighbour, "", share,
                 statistics::LeastShare(share, probes),
                 1 - statistics::LeastShare(1 - share, probes));
}

std::vector<Setting> SettingsOf(const Host& host) {
  std::vector<Setting> settings;
  const auto add = [&settings](std::string_view name, std::string value) {
    if (!value.empty()) settings.push_back({name, std::move(value)});
  };
  add("governor", host.governor);
  if (host.turbo) add("turbo", *host.turbo ? "on" : "off");
  if (host.smt) add("SMT", *host.smt ? "on" : "off");
  add("huge pages", host.huge_pages);
  add("hypervisor", host.hypervisor);
  return settings;
}

}  // namespace

std::size_t MetricTable::Number(std::string_view name, MetricKind kind, std::string_view unit) {
  const auto found = numbers_.find(name);
  if (found != numbers_.end()) return found->second;
  metrics_.push_back({std::string(name), kind, std::string(unit)});
  numbers_.emplace(name, metrics_.size() - 1);
  return metrics_.size() - 1;
}

double ToScale(MetricKind kind, double value) { return IsShare(kind) ? value : std::log(value); }

double FromScale(MetricKind kind, double place) { return IsShare(kind) ? place : std::exp(place); }

std::string TopologyShape(const Host& host) {
  const auto& places = host.topology;
  std::string shape;
  const auto add = [&](std::optional<int> CpuPlace::* member, std::string_view one,
                       std::string_view many) {
    std::set<int> numbers;
    for (const CpuPlace& place : places) {
      if (place.*member) numbers.insert(*(place.*member));
    }
    if (numbers.empty()) return;
    shape += fmt::format("{} {}, ", numbers.size(), numbers.size() == 1 ? one : many);
  };
  add(&CpuPlace::package, "package", "packages");
  add(&CpuPlace::numa, "NUMA node", "NUMA nodes");
  add(&CpuPlace::l3, "L3 cache", "L3 caches");
  add(&CpuPlace::core, "core", "cores");
  const std::size_t cpus = places.empty() ? host.cpus_allowed.size() : places.size();
  return shape + fmt::format("{} CPU{}", cpus, cpus == 1 ? "" : "s");
}

Pass ExtractPass(const Document& document, MetricTable& metrics) {
  Pass pass;
  pass.node = NodeName(document);
  pass.started = document.config.started;
  pass.source = document.source;
  pass.failure = document.failure;
  pass.partial = document.partial;
  pass.engine = document.engine;
  pass.kind = {document.host.cpu_model, TopologyShape(document.host), document.host.microcode,
               document.host.kernel};
  pass.settings = SettingsOf(document.host);
  Extraction extraction(metrics, pass.values);
  AddClocks(document, extraction);
  AddInstructions(document, extraction);
  AddCores(document, extraction);
  AddMemory(document, extraction);
  AddCoreSizes(document, extraction);
  // A run that was never heard of again has no state worth telling.
  if (document.failure.empty()) AddShares(document, extraction);
  if (pass.values.empty() && pass.failure.empty())
    pass.failure = "its result has nothing to compare; a survey has";
  std::ranges::sort(pass.values, {}, &MetricValue::metric);
  return pass;
}

}  // namespace cyclescope::fleet
