#include "analysis/compare_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <set>
#include <unordered_map>
#include <utility>

#include "analysis/host_words.h"
#include "analysis/row_figures.h"
#include "statistics/sample_groups.h"

namespace cyclescope {
namespace {

// The values of one kind, by name, in the order in which the documents list them.
class ValueTable {
 public:
  explicit ValueTable(std::size_t documents) : documents_(documents) {}

  // What is doubted of all values that are added from now on.
  void Doubt(std::optional<ClaimCode> doubt) { doubt_ = doubt; }

  void Add(std::size_t document, const std::string& name, ComparedEstimate estimate) {
    if (std::isnan(estimate.value)) return;
    if (!estimate.doubt) estimate.doubt = doubt_;
    ComparedValue& value = Row(document, name);
    value.estimates[document] = std::move(estimate);
  }

  std::vector<ComparedValue> Take() { return std::move(values_); }

 private:
  // A name that a document gives a second time (two opcodes may print alike) gets a number: the
  // second of one document is compared with the second of the other.
  ComparedValue& Row(std::size_t document, const std::string& name) {
    for (int repeat = 1;; ++repeat) {
      const std::string unique = repeat == 1 ? name : fmt::format("{} ({})", name, repeat);
      const auto [found, added] = index_.try_emplace(unique, values_.size());
      if (added) {
        values_.push_back({.name = unique, .estimates = {}, .changes = {}});
        values_.back().estimates.resize(documents_);
      }
      if (!values_[found->second].estimates[document]) return values_[found->second];
    }
  }

  std::size_t documents_;
  std::optional<ClaimCode> doubt_;
  std::vector<ComparedValue> values_;
  std::unordered_map<std::string, std::size_t> index_;
};

std::optional<ClaimCode> DoubtOf(const Estimate& estimate, Status status) {
  if (estimate.contended) return ClaimCode::kValueOfSharedCore;
  if (estimate.disturbed || status == Status::kDisturbed) return ClaimCode::kValueDisturbed;
  // The next run may settle in the other, and older results do not say which there are.
  constexpr int kFewestVisitsForStates = 6;  // fewer may lie apart by chance
  if (estimate.two_modes && (estimate.states.empty() || estimate.visits < kFewestVisitsForStates))
    return ClaimCode::kValueTwoModes;
  if (status != Status::kMeasured) return ClaimCode::kValueCutShort;
  return std::nullopt;
}

ComparedEstimate FromEstimate(const Estimate& estimate, Status status) {
  // Which state a run shows most may be chance, and there may be more of them.
  double apart = 0;
  std::vector<double> states;
  for (const ValueState& state : estimate.states) {
    states.push_back(state.value);
    apart = std::max(apart, 1.5 * std::abs(state.value - estimate.value));
  }
  // A value like another's has that one's interval, of three visits or more.
  constexpr int kFewestDegrees = 2;
  return {.value = estimate.value,
          .low = estimate.low,
          .high = estimate.high,
          .doubt = DoubtOf(estimate, status),
          .systematic = statistics::kSystematicDoubt * std::abs(estimate.value) + apart,
          .degrees = static_cast<double>(std::max(estimate.visits - 1, kFewestDegrees)),
          .states = std::move(states)};
}

// What runs differ by, as a share, beside what one run's interval tells.
ComparedEstimate BetweenRuns(ComparedEstimate estimate, double between_runs) {
  constexpr double kDegrees = 4;  // what these intervals are made with is not in the document
  estimate.degrees = kDegrees;
  estimate.systematic = between_runs * std::abs(estimate.value);
  return estimate;
}

std::string WithValues(const std::string& name, const std::string& values) {
  return values.empty() ? name : fmt::format("{}, {} values", name, values);
}

void AddFrequency(const Document& document, std::size_t index, ValueTable& table) {
  for (const FrequencyRow& row : document.frequency) {
    if (row.core_ghz.kept == 0 && row.core_ghz.value == 0) continue;  // not measured
    ComparedEstimate estimate = FromEstimate(row.core_ghz, row.status);
    // A clock that moved while it was watched may be anywhere between its rates the next time.
    for (const FrequencyStep& step : row.steps) {
      estimate.low = std::min(estimate.low, step.ghz);
      estimate.high = std::max(estimate.high, step.ghz);
    }
    table.Add(index, fmt::format("CPU {}", row.cpu), estimate);
  }
}

// `moves`: the CPUs are virtual, and whatever they run on may have changed between the results.
void AddCores(const Document& document, std::size_t index, bool moves, ValueTable& table) {
  for (const CoreMatrix& cores : document.cores) {
    // An interval is that of one run: other lines, and what else is between the cores, differ from
    // minute to minute by more. Between the two CPUs of a virtual machine, a Neoverse V1, medians
    // of runs within 20 minutes were 41.8 to 46.1 ns.
    constexpr double kRunToRunShare = 0.05;
    // Those of another, an Emerald Rapids, were 65.7 to 100.5 ns within an hour, and once 17.8,
    // when the host had put both CPUs on one core.
    const std::optional<ClaimCode> may_move =
        moves ? std::optional(ClaimCode::kCpusMayMove) : std::nullopt;
    const std::set<std::pair<int, int>> disturbed(cores.disturbed.begin(), cores.disturbed.end());
    for (std::size_t row = 0; row < cores.cpus.size(); ++row) {
      for (std::size_t column = 0; column < cores.cpus.size(); ++column) {
        if (row == column) continue;  // another tool's matrix may hold zeros there
        const int from = cores.cpus[row];
        const int to = cores.cpus[column];
        table.Add(index, fmt::format("{} {} to {}", cores.test, from, to),
                  BetweenRuns({.value = cores.nanoseconds.At(row, column),
                               .low = cores.low.AtOrNone(row, column),
                               .high = cores.high.AtOrNone(row, column),
                               .doubt = disturbed.contains({from, to})
                                            ? std::optional(ClaimCode::kValueDisturbed)
                                            : may_move},
                              kRunToRunShare));
      }
    }
  }
}

// The first two levels run at the core's clock: in nanoseconds they would change with it, which is
// a value of its own. On an Emerald Rapids L1 took 1.38 and 1.51 ns within a minute, and 5.01
// cycles both times.
bool IsOfTheCore(const MemoryRow& row, std::size_t level) {
  constexpr std::size_t kLevelsOfTheCore = 2;
  return level < kLevelsOfTheCore && row.levels[level].name != "memory";
}

bool HasCycles(const Document& document) {
  return std::ranges::all_of(document.memory, [](const MemoryRow& row) {
    for (std::size_t i = 0; i < row.levels.size(); ++i) {
      if (IsOfTheCore(row, i) && row.levels[i].cycles.value <= 0) return false;
    }
    return true;
  });
}

// `in_cycles`: the levels of the core; else the others, and those too where not all documents have
// cycles of them.
void AddMemory(const Document& document, std::size_t index, bool all_have_cycles, bool in_cycles,
               ValueTable& table) {
  for (const MemoryRow& row : document.memory) {
    const std::string node = row.node ? fmt::format(", node {}", *row.node) : "";
    for (std::size_t i = 0; i < row.levels.size(); ++i) {
      const MemoryLevel& level = row.levels[i];
      const bool is_of_core = IsOfTheCore(row, i);
      if (in_cycles != (all_have_cycles && is_of_core)) continue;
      const MemoryValue& value = in_cycles ? level.cycles : level.nanoseconds;
      // The core was shared, or there was time for too few visits.
      const std::optional<ClaimCode> doubt =
          level.contended ? std::optional(ClaimCode::kValueUnclear) : std::nullopt;
      // An interval is that of one run. What others on the machine leave of shared levels differs
      // from run to run by more.
      table.Add(
          index, fmt::format("{} from CPU {}{}", level.name, row.cpu, node),
          BetweenRuns({.value = value.value, .low = value.low, .high = value.high, .doubt = doubt},
                      is_of_core ? 0.03 : 0.1));
    }
  }
}

void AddWindows(const Document& document, std::size_t index, ValueTable& table) {
  if (!document.anatomy) return;
  for (const AnatomyRow& row : document.anatomy->rows) {
    if (row.part != AnatomyPart::kWindows || !row.value) continue;
    // A window's end is looked for around the place where it was found; another run may find the
    // next place.
    constexpr double kRunToRunShare = 0.01;
    table.Add(index, fmt::format("{}, {}", row.name, row.filler),
              BetweenRuns({.value = row.value->value,
                           .low = row.value->low,
                           .high = row.value->high,
                           .doubt = DoubtOfSize(row, document.host)},
                          kRunToRunShare));
  }
}

void AddLatency(const Document& document, std::size_t index, ValueTable& table) {
  for (const InstructionRow& row : document.instructions) {
    for (const Latency& latency : row.latency) {
      ComparedEstimate estimate = FromEstimate(latency.cycles, row.status);
      estimate.bound = IsUpperBound(latency);
      if (!estimate.doubt && estimate.bound) estimate.doubt = ClaimCode::kValueUpperBound;
      const std::string pair = fmt::format("{}: {} to {}", row.text, latency.from, latency.to);
      table.Add(index, WithValues(pair, latency.values), estimate);
    }
  }
}

ComparedEstimate FromThroughput(const Throughput& throughput, Status status) {
  ComparedEstimate estimate = FromEstimate(throughput.cycles, status);
  estimate.bound = IsUpperBound(throughput);
  if (!estimate.doubt && estimate.bound) estimate.doubt = ClaimCode::kValueUpperBound;
  return estimate;
}

void AddThroughput(const Document& document, std::size_t index, ValueTable& table) {
  for (const InstructionRow& row : document.instructions) {
    if (row.throughput_by_values.empty() && row.throughput) {
      table.Add(index, row.text, FromThroughput(*row.throughput, row.status));
    }
    for (const Throughput& throughput : row.throughput_by_values) {
      table.Add(index, WithValues(row.text, throughput.values),
                FromThroughput(throughput, row.status));
    }
  }
}

void AddBlocks(const Document& document, std::size_t index, ValueTable& table) {
  for (const BlockRow& row : document.blocks) {
    if (!row.cycles) continue;
    // One line, as a name in a table is.
    std::string name = row.text;
    std::ranges::replace(name, '\n', ';');
    std::ranges::replace(name, '\t', ' ');
    if (!row.side.empty()) name = fmt::format("{}: {}", row.side, name);
    if (row.unroll != 1) name += fmt::format(" (unrolled {} times)", row.unroll);
    ComparedEstimate estimate = FromEstimate(*row.cycles, row.status);
    estimate.bound = row.cycles->contended;
    table.Add(index, name, estimate);
  }
}

bool RestsOnCycles(ValueKind kind) {
  return kind == ValueKind::kFrequency || UnitOf(kind) == "cycles";
}

bool HasUntrustedCycles(const Clock& clock) {
  return clock.cycle_source == "reference" && clock.self_check && !clock.self_check->trusted;
}

}  // namespace

std::vector<ComparedValue> GatherValues(ValueKind kind, std::span<const Document> documents) {
  const bool is_one_host = std::ranges::all_of(documents, [&](const Document& document) {
    return document.host.name == documents.front().host.name &&
           document.host.cpu_model == documents.front().host.cpu_model;
  });
  const bool all_have_cycles = std::ranges::all_of(documents, HasCycles);
  ValueTable table(documents.size());
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const bool doubted = RestsOnCycles(kind) && HasUntrustedCycles(documents[i].clock);
    table.Doubt(doubted ? std::optional(ClaimCode::kValueOfUntrustedClock) : std::nullopt);
    switch (kind) {
      case ValueKind::kFrequency:
        AddFrequency(documents[i], i, table);
        break;
      case ValueKind::kCores:
        AddCores(documents[i], i, is_one_host && IsVirtualMachine(documents[i].host), table);
        break;
      case ValueKind::kCacheLatency:
      case ValueKind::kLadder:
        AddMemory(documents[i], i, all_have_cycles, kind == ValueKind::kCacheLatency, table);
        break;
      case ValueKind::kCapacity:
        for (const auto& [name, estimate] : CapacitiesOf(documents[i], documents))
          table.Add(i, name, estimate);
        break;
      case ValueKind::kWindow:
        AddWindows(documents[i], i, table);
        break;
      case ValueKind::kLatency:
        AddLatency(documents[i], i, table);
        break;
      case ValueKind::kThroughput:
        AddThroughput(documents[i], i, table);
        break;
      case ValueKind::kBlock:
        AddBlocks(documents[i], i, table);
        break;
    }
  }
  return table.Take();
}

}  // namespace cyclescope
