#include "merge/merge_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>

#include "statistics/combine_runs.h"

namespace cyclescope::merge {
namespace {

// A row that could be the merged document's, and the run that it is from.
template <typename Row>
struct Candidate {
  const Row* row = nullptr;
  std::size_t run = 0;
};

// The rows that have one key, of all runs; keys in the order in which they first appear.
template <typename Row, typename RowsOf, typename KeyOf>
std::vector<std::vector<Candidate<Row>>> ByKey(const Runs& runs, RowsOf rows_of, KeyOf key_of) {
  std::vector<std::vector<Candidate<Row>>> groups;
  std::map<decltype(key_of(std::declval<const Row&>())), std::size_t> places;
  for (std::size_t run = 0; run < runs.documents.size(); ++run) {
    for (const Row& row : rows_of(runs.documents[run])) {
      const auto [place, added] = places.try_emplace(key_of(row), groups.size());
      if (added) groups.emplace_back();
      groups[place->second].push_back({&row, run});
    }
  }
  return groups;
}

// The first of those with the least rank.
template <typename Row, typename RankOf>
const Candidate<Row>& Best(const std::vector<Candidate<Row>>& candidates, RankOf rank_of) {
  return *std::ranges::min_element(
      candidates, {}, [&](const Candidate<Row>& candidate) { return rank_of(*candidate.row); });
}

double WidthOf(const auto& value) {
  return value.value == 0 ? std::numeric_limits<double>::infinity()
                          : (value.high - value.low) / std::abs(value.value);
}

double WidthOrNone(const auto& value) {
  return value ? WidthOf(*value) : std::numeric_limits<double>::infinity();
}

// ---- Clocks

void MergeFrequency(const Runs& runs, Provenance& provenance, Document& whole) {
  const auto rows = ByKey<FrequencyRow>(
      runs, [](const Document& run) -> auto& { return run.frequency; },
      [](const FrequencyRow& row) { return row.cpu; });
  for (const auto& candidates : rows) {
    const auto& best = Best(candidates, [](const FrequencyRow& row) {
      return std::tuple(StatusRank(row.status), !row.self_check_passed,
                        statistics::SoundnessOf(row.core_ghz), WidthOf(row.core_ghz));
    });
    provenance.AddRow("frequency", best.run);
    whole.frequency.push_back(*best.row);
  }
  std::ranges::sort(whole.frequency, {}, &FrequencyRow::cpu);
}

// ---- Snippets

// What a row says of its bounds rests on its own cycles: the row stays whole. States of other runs
// come to it.
void MergeBlock(const Runs& runs, const std::vector<Candidate<BlockRow>>& candidates,
                Provenance& provenance, Document& whole) {
  std::vector<Estimate> estimates;
  for (const auto& candidate : candidates) {
    if (candidate.row->cycles) estimates.push_back(*candidate.row->cycles);
  }
  std::optional<Estimate> combined;
  if (estimates.size() > 1) combined = statistics::CombineRuns(estimates, runs.confidence);
  const auto& best = Best(candidates, [&](const BlockRow& row) {
    const bool is_other_state =
        combined && row.cycles && !statistics::MayBeOneState(*row.cycles, *combined);
    return std::tuple(
        StatusRank(row.status), !row.cycles,
        row.cycles ? statistics::SoundnessOf(*row.cycles) : statistics::Soundness::kDisturbed,
        is_other_state, WidthOrNone(row.cycles));
  });
  provenance.AddRow("blocks", best.run);
  whole.blocks.push_back(*best.row);
  Estimate* cycles = whole.blocks.back().cycles ? &*whole.blocks.back().cycles : nullptr;
  if (cycles == nullptr || !combined || combined->states.empty()) return;
  cycles->states = combined->states;
  cycles->two_modes = true;
}

void MergeBlocks(const Runs& runs, Provenance& provenance, Document& whole) {
  const auto rows = ByKey<BlockRow>(
      runs, [](const Document& run) -> auto& { return run.blocks; },
      [](const BlockRow& row) {
        return std::tuple(row.text, row.init, row.side, row.name, row.unroll, row.memory);
      });
  for (const auto& candidates : rows) MergeBlock(runs, candidates, provenance, whole);
}

// ---- Latency between cores

void MergeCores(const Runs& runs, Provenance& provenance, Document& whole) {
  const auto matrices = ByKey<CoreMatrix>(
      runs, [](const Document& run) -> auto& { return run.cores; },
      [](const CoreMatrix& matrix) { return std::tuple(matrix.test, matrix.instruction); });
  for (const auto& candidates : matrices) {
    const auto& best = Best(candidates, [](const CoreMatrix& matrix) {
      const auto size = static_cast<double>(matrix.cpus.size());
      const double doubtful =
          static_cast<double>(matrix.disturbed.size() + matrix.timed_out.size());
      return std::tuple(matrix.partial, -size, doubtful, -matrix.rounds,
                        matrix.stability.value_or(Stability::kFloating));
    });
    provenance.Add("cores: " + best.row->test, best.run);
    whole.cores.push_back(*best.row);
  }
}

// ---- Memory

double SharedPoints(const MemoryRow& row) {
  double shared = 0;
  double all = 0;
  for (const MemoryCurve& curve : row.curves) {
    all += static_cast<double>(curve.points.size());
    shared += static_cast<double>(std::ranges::count_if(curve.points, &MemoryPoint::contended));
  }
  return all == 0 ? 1 : shared / all;
}

std::size_t CountPoints(const MemoryRow& row) {
  std::size_t points = 0;
  for (const MemoryCurve& curve : row.curves) points += curve.points.size();
  return points;
}

// What is read from one set of curves stays together. Accesses, streams and the like were measured
// on their own: each comes from the best run that has them.
MemoryRow MergeMemoryRow(const std::vector<Candidate<MemoryRow>>& candidates,
                         Provenance& provenance) {
  const auto& best = Best(candidates, [](const MemoryRow& row) {
    const auto unclear = std::ranges::count_if(row.levels, &MemoryLevel::contended);
    // Footprints by the sixteen: runs that were as thorough differ by a few.
    constexpr std::size_t kPointsThatMatter = 16;
    const auto effort = static_cast<std::ptrdiff_t>(CountPoints(row) / kPointsThatMatter);
    return std::tuple(row.levels.empty(), row.partial, unclear, -effort, SharedPoints(row));
  });
  MemoryRow merged = *best.row;
  const std::string name = fmt::format("memory of CPU {}{}", merged.cpu,
                                       merged.node ? fmt::format(", node {}", *merged.node) : "");
  const auto take = [&](std::string_view what, auto member, auto is_shared) {
    const auto& chosen = Best(candidates, [&](const MemoryRow& row) {
      const auto& rows = std::invoke(member, row);
      const auto shared = static_cast<double>(std::ranges::count_if(rows, is_shared));
      return std::tuple(rows.empty(), shared, -static_cast<double>(rows.size()));
    });
    if (std::invoke(member, *chosen.row).empty()) return;
    std::invoke(member, merged) = std::invoke(member, *chosen.row);
    std::erase(merged.left_out, what);
    provenance.Add(fmt::format("{}: {}", name, what), chosen.run);
  };
  const auto never = [](const auto&) { return false; };
  if (!merged.curves.empty()) provenance.Add(name + ": curves", best.run);
  take("parallelism", &MemoryRow::parallelism, never);
  take("bandwidth", &MemoryRow::bandwidth, &MemoryBandwidth::contended);
  take("loaded", &MemoryRow::loaded, never);
  take("places", &MemoryRow::places, never);
  take("accesses", &MemoryRow::accesses, [](const MemoryAccess& access) {
    return !access.cycles || access.cycles->contended || access.status != Status::kMeasured;
  });
  return merged;
}

void MergeMemory(const Runs& runs, Provenance& provenance, Document& whole) {
  const auto rows = ByKey<MemoryRow>(
      runs, [](const Document& run) -> auto& { return run.memory; },
      [](const MemoryRow& row) { return std::tuple(row.cpu, row.node); });
  for (const auto& candidates : rows)
    whole.memory.push_back(MergeMemoryRow(candidates, provenance));
}

// ---- Anatomy

bool IsSeenByMost(const AnatomyRow& row, const std::vector<Candidate<AnatomyRow>>& candidates) {
  const auto agree = std::ranges::count_if(candidates, [&](const auto& other) {
    return row.value && other.row->value && other.row->value->low <= row.value->high &&
           row.value->low <= other.row->value->high;
  });
  return 2 * agree > static_cast<std::ptrdiff_t>(candidates.size());
}

// Its rows are counted within a run: the second level of one may be the third of another, and
// levels of two runs beside each other would be more than the core has.
constexpr std::string_view kCountedRows = "branch targets";

// The run that they come from: the one that saw the most of them on a core of its own, then the
// most sizes.
std::optional<std::size_t> RunOfCountedRows(const Runs& runs) {
  using Rank = std::tuple<std::ptrdiff_t, std::ptrdiff_t>;
  std::optional<std::size_t> best;
  Rank most{};
  for (std::size_t run = 0; run < runs.documents.size(); ++run) {
    const auto& anatomy = runs.documents[run].anatomy;
    if (!anatomy) continue;
    Rank seen{};
    for (const AnatomyRow& row : anatomy->rows) {
      if (row.name != kCountedRows || !row.value) continue;
      std::get<0>(seen) += row.contended ? 0 : 1;
      std::get<1>(seen) += row.at_least ? 0 : 1;
    }
    if (best && seen <= most) continue;
    best = run;
    most = seen;
  }
  return best;
}

void MergeAnatomy(const Runs& runs, Provenance& provenance, Document& whole) {
  const auto rows = ByKey<AnatomyRow>(
      runs,
      [](const Document& run) -> auto& {
        static const std::vector<AnatomyRow> none;
        return run.anatomy ? run.anatomy->rows : none;
      },
      [](const AnatomyRow& row) { return std::tuple(row.part, row.name, row.filler); });
  const auto widths = ByKey<AnatomyWidth>(
      runs,
      [](const Document& run) -> auto& {
        static const std::vector<AnatomyWidth> none;
        return run.anatomy ? run.anatomy->widths : none;
      },
      [](const AnatomyWidth& width) { return width.name; });
  if (rows.empty() && widths.empty()) return;
  whole.anatomy.emplace();
  for (const Document& run : runs.documents) {
    if (!run.anatomy) continue;
    whole.anatomy->cpu = run.anatomy->cpu;
    whole.anatomy->seconds += run.anatomy->seconds;
  }
  const std::optional<std::size_t> run_of_counted = RunOfCountedRows(runs);
  for (auto candidates : rows) {
    if (candidates.front().row->name == kCountedRows) {
      std::erase_if(candidates,
                    [&](const auto& candidate) { return candidate.run != run_of_counted; });
      if (candidates.empty()) continue;
    }
    const auto& best = Best(candidates, [&](const AnatomyRow& row) {
      // Threads split a window: a run that saw both sizes knows which of them is the whole.
      return std::tuple(StatusRank(row.status), !row.value, row.contended, row.at_least,
                        !row.shared, !IsSeenByMost(row, candidates), WidthOrNone(row.value));
    });
    provenance.AddRow("anatomy", best.run);
    whole.anatomy->rows.push_back(*best.row);
  }
  for (const auto& candidates : widths) {
    // With whatever pattern: what comes in between makes code slower.
    const auto& best = Best(candidates, [](const AnatomyWidth& width) {
      return std::tuple(width.contended, -width.per_cycle.value);
    });
    provenance.AddRow("widths", best.run);
    whole.anatomy->widths.push_back(*best.row);
  }
}

// ---- GPUs

void MergeGpus(const Runs& runs, Provenance& provenance, Document& whole) {
  const auto rows = ByKey<GpuRow>(
      runs, [](const Document& run) -> auto& { return run.gpu; },
      [](const GpuRow& row) { return std::tuple(row.device, row.name); });
  for (const auto& candidates : rows) {
    const auto& best = Best(candidates, [](const GpuRow& row) {
      const auto parts =
          static_cast<int>(!row.curves.empty()) + static_cast<int>(row.matrix.has_value()) +
          static_cast<int>(!row.cpus.empty()) + static_cast<int>(!row.instructions.empty());
      const auto measured =
          std::ranges::count(row.instructions, Status::kMeasured, &GpuInstruction::status);
      return std::tuple(row.partial, -parts, -measured);
    });
    provenance.Add(fmt::format("gpu {}", best.row->device), best.run);
    whole.gpu.push_back(*best.row);
  }
}

}  // namespace

std::vector<MergedPart> Provenance::Take() {
  for (const auto& [key, count] : rows_) {
    const auto& [part, run] = key;
    parts_.push_back({fmt::format("{}: {} row{}", part, count, count == 1 ? "" : "s"), run});
  }
  return std::move(parts_);
}

void MergeRows(const Runs& runs, Provenance& provenance, Document& whole) {
  MergeFrequency(runs, provenance, whole);
  MergeBlocks(runs, provenance, whole);
  MergeCores(runs, provenance, whole);
  MergeMemory(runs, provenance, whole);
  MergeAnatomy(runs, provenance, whole);
  MergeGpus(runs, provenance, whole);
}

}  // namespace cyclescope::merge
