#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "analysis/row_figures.h"
#include "merge/merge_rows.h"
#include "statistics/combine_runs.h"

namespace cyclescope::merge {
namespace {

using Rows = std::vector<const InstructionRow*>;

// What names a form: two opcodes may print alike. A survey's own forms stay apart from a sweep's.
std::string KeyOf(const InstructionRow& row) {
  return row.origin + '\n' + row.opcode + '\n' + row.text;
}
std::string FormOf(const InstructionRow& row) { return row.opcode + '\n' + row.text; }

// A row's value, with the row's doubts.
Estimate EstimateIn(const InstructionRow& row, Estimate estimate) {
  estimate.disturbed = estimate.disturbed || row.status == Status::kDisturbed;
  return estimate;
}

// Combines and counts what it did.
Estimate Combine(const std::vector<Estimate>& estimates, const Runs& runs, Merged& merged) {
  if (estimates.size() == 1) return estimates.front();
  const auto soundness = [](const Estimate& estimate) { return statistics::SoundnessOf(estimate); };
  const auto [best, worst] = std::ranges::minmax(estimates, {}, soundness);
  if (soundness(best) != soundness(worst)) ++merged.replaced;
  if (std::ranges::count(estimates, soundness(best), soundness) > 1) ++merged.combined;
  return statistics::CombineRuns(estimates, runs.confidence);
}

// The value of what all runs call the same, from those that know it best: `rank_of` says how well,
// and less is better. A bound is what it is whatever the others say: the tightest counts.
template <typename Value>
Value MergeValues(const std::vector<std::pair<const InstructionRow*, const Value*>>& values,
                  auto rank_of, const Runs& runs, Merged& merged) {
  const auto rank_of_value = [&](const auto& value) { return rank_of(*value.second); };
  const auto best = std::ranges::min(values, {}, rank_of_value);
  std::vector<std::pair<const InstructionRow*, const Value*>> chosen;
  for (const auto& value : values) {
    if (rank_of_value(value) == rank_of_value(best)) chosen.push_back(value);
  }
  if (IsUpperBound(*best.second)) {
    return *std::ranges::min(chosen, {}, [](const auto& value) {
              return value.second->cycles.high;
            }).second;
  }
  std::vector<Estimate> estimates;
  for (const auto& [row, value] : chosen) estimates.push_back(EstimateIn(*row, value->cycles));
  Value merged_value = *chosen.front().second;
  merged_value.cycles = Combine(estimates, runs, merged);
  return merged_value;
}

Throughput MergeThroughputs(
    const std::vector<std::pair<const InstructionRow*, const Throughput*>>& values,
    const Runs& runs, Merged& merged) {
  int replaced = 0;
  for (const auto& [row, value] : values) replaced += value->cycles.contended ? 1 : 0;
  const bool has_quiet =
      std::ranges::any_of(values, [](const auto& value) { return !IsUpperBound(*value.second); });
  if (replaced > 0 && has_quiet) ++merged.replaced;
  // What limits copies back to back decides what the value is.
  const auto first =
      std::ranges::find_if(values, [](const auto& value) { return !IsUpperBound(*value.second); });
  const std::string limit = first == values.end() ? "" : first->second->limit;
  return MergeValues<Throughput>(
      values,
      [&](const Throughput& throughput) {
        return std::tuple(IsUpperBound(throughput), throughput.limit != limit);
      },
      runs, merged);
}

void MergeThroughput(const Rows& rows, const Runs& runs, Merged& merged, InstructionRow& whole) {
  using Values = std::vector<std::pair<const InstructionRow*, const Throughput*>>;
  Values single;
  std::map<std::string, Values> by_values;
  for (const InstructionRow* row : rows) {
    if (row->throughput) single.emplace_back(row, &*row->throughput);
    for (const Throughput& each : row->throughput_by_values)
      by_values[each.values].emplace_back(row, &each);
  }
  for (Throughput& each : whole.throughput_by_values)
    each = MergeThroughputs(by_values.at(each.values), runs, merged);
  if (!whole.throughput) return;
  // The one that stands for the form is one of them, where there are several.
  const auto stands_for =
      std::ranges::find(whole.throughput_by_values, whole.throughput->values, &Throughput::values);
  if (stands_for != whole.throughput_by_values.end()) {
    whole.throughput = *stands_for;
    return;
  }
  std::erase_if(
      single, [&](const auto& value) { return value.second->values != whole.throughput->values; });
  whole.throughput = MergeThroughputs(single, runs, merged);
}

void MergeLatency(const Rows& rows, const Runs& runs, Merged& merged, InstructionRow& whole) {
  using Values = std::vector<std::pair<const InstructionRow*, const Latency*>>;
  std::vector<Values> pairs;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
  const auto add = [&](const InstructionRow& row) {
    for (const Latency& latency : row.latency) {
      const auto [place, added] =
          places.try_emplace({latency.from, latency.to, latency.values}, pairs.size());
      if (added) pairs.emplace_back();
      pairs[place->second].emplace_back(&row, &latency);
    }
  };
  for (const InstructionRow* row : rows) add(*row);
  whole.latency.clear();
  for (const Values& values : pairs) {
    whole.latency.push_back(MergeValues<Latency>(
        values, [](const Latency& latency) { return latency.kind; }, runs, merged));
  }
}

InstructionRow MergeRow(const Rows& rows, const Runs& runs, Merged& merged) {
  // The row that says most: notes and status are its own.
  InstructionRow whole = **std::ranges::min_element(rows, {}, [](const InstructionRow* row) {
    return std::tuple(StatusRank(row->status), -static_cast<int>(row->latency.size()),
                      !row->throughput, IsContended(*row));
  });
  if (StatusRank(whole.status) == 2 || rows.size() == 1) return whole;
  Rows measured;
  for (const InstructionRow* row : rows) {
    if (StatusRank(row->status) < 2) measured.push_back(row);
  }
  MergeThroughput(measured, runs, merged, whole);
  MergeLatency(measured, runs, merged, whole);
  return whole;
}

std::size_t CountPorts(const Document& document) {
  return static_cast<std::size_t>(std::ranges::count_if(
      document.instructions, [](const InstructionRow& row) { return !row.ports.empty(); }));
}

// The run with the best map: of those without rivals, the one that explains most forms.
std::optional<std::size_t> FindPortRun(const Runs& runs) {
  std::optional<std::size_t> best;
  const auto rank = [&](std::size_t run) {
    const Document& document = runs.documents[run];
    return std::tuple(document.port_map->other_maps,
                      -static_cast<std::ptrdiff_t>(CountPorts(document)));
  };
  for (std::size_t run = 0; run < runs.documents.size(); ++run) {
    if (!runs.documents[run].port_map) continue;
    if (!best || rank(run) < rank(*best)) best = run;
  }
  return best;
}

void TakePorts(const Document& run, Document& whole) {
  whole.port_map = run.port_map;
  std::unordered_map<std::string, const InstructionRow*> by_form;
  for (const InstructionRow& row : run.instructions) {
    if (row.port_finding || !row.ports.empty()) by_form.try_emplace(FormOf(row), &row);
  }
  for (InstructionRow& row : whole.instructions) {
    const auto found = by_form.find(FormOf(row));
    const bool has = found != by_form.end();
    row.ports = has ? found->second->ports : std::vector<PortUse>();
    row.port_finding = has ? found->second->port_finding : std::nullopt;
    if (has) row.slots = found->second->slots;
  }
}

void TakeSweep(const Runs& runs, Provenance& provenance, Document& whole) {
  std::optional<std::size_t> best;
  const auto rank = [&](std::size_t run) {
    const SweepSummary& sweep = *runs.documents[run].sweep;
    return std::tuple(sweep.left_out, sweep.not_reached);
  };
  for (std::size_t run = 0; run < runs.documents.size(); ++run) {
    if (!runs.documents[run].sweep) continue;
    if (!best || rank(run) < rank(*best)) best = run;
  }
  if (!best) return;
  whole.sweep = runs.documents[*best].sweep;
  provenance.Add("sweep", *best);
}

}  // namespace

void MergeInstructions(const Runs& runs, Provenance& provenance, Document& whole) {
  std::vector<Rows> forms;
  std::unordered_map<std::string, std::size_t> places;
  for (const Document& document : runs.documents) {
    for (const InstructionRow& row : document.instructions) {
      const auto [place, added] = places.try_emplace(KeyOf(row), forms.size());
      if (added) forms.emplace_back();
      forms[place->second].push_back(&row);
    }
  }
  for (const Rows& rows : forms) whole.instructions.push_back(MergeRow(rows, runs, *whole.merged));
  TakeSweep(runs, provenance, whole);
  const auto port_run = FindPortRun(runs);
  if (!port_run) return;
  TakePorts(runs.documents[*port_run], whole);
  provenance.Add("port_map", *port_run);
}

}  // namespace cyclescope::merge
