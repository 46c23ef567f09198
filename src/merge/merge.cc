#include "merge/merge.h"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/compare.h"
#include "analysis/host_words.h"
#include "base/try.h"
#include "merge/merge_rows.h"
#include "statistics/combine_runs.h"

namespace cyclescope::merge {
namespace {

// Of what runs disagree about, this many are listed.
constexpr std::size_t kMostDisagreements = 100;

std::string FileName(const Document& run) {
  return std::filesystem::path(run.source).filename().string();
}

// "a.json", or "run 2" of a document that has no file.
std::string RunName(const Document& run, std::size_t index) {
  const std::string file = FileName(run);
  return file.empty() ? fmt::format("run {}", index + 1) : file;
}

Result<void> CheckRuns(std::span<const Document> runs) {
  const Document& first = runs.front();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Document& run = runs[i];
    if (!run.failure.empty()) {
      return BadInput(fmt::format("{} has no result: {}", RunName(run, i), run.failure),
                      "leave it out");
    }
    if (!AreSameKindOfCpu(run.host, first.host)) {
      return BadInput(
          fmt::format("these are results of different CPUs: {} of {}, {} of {}", RunName(first, 0),
                      CpuName(first.host), RunName(run, i), CpuName(run.host)),
          "merge takes runs of one machine; 'cyclescope compare' takes those of two");
    }
    if (run.config.confidence != first.config.confidence) {
      return BadInput(fmt::format("the intervals of {} have a confidence of {}, those of {} of {}",
                                  RunName(first, 0), first.config.confidence, RunName(run, i),
                                  run.config.confidence));
    }
  }
  return {};
}

// Over all CPUs that were looked at, by how often.
std::optional<double> SharedShare(const Document& run) {
  double shared = 0;
  double probes = 0;
  for (const Contention& contention : run.contention) {
    shared += contention.share * contention.probes;
    probes += contention.probes;
  }
  if (probes <= 0) return std::nullopt;
  return shared / probes;
}

MergedRun DescribeRun(const Document& run) {
  return {.file = FileName(run),
          .command = run.config.command,
          .started = run.config.started,
          .version = run.tool.version,
          .commit = run.tool.commit,
          .shared_share = SharedShare(run)};
}

std::vector<Contention> MergeContention(std::span<const Document> runs) {
  std::map<int, Contention> by_cpu;
  for (const Document& run : runs) {
    for (const Contention& each : run.contention) {
      Contention& sum = by_cpu.try_emplace(each.cpu, Contention{.cpu = each.cpu}).first->second;
      const double before = sum.probes;
      const double probes = before + each.probes;
      const auto mean = [&](double& into, double value) {
        into = probes > 0 ? (into * before + value * each.probes) / probes : value;
      };
      mean(sum.share, each.share);
      mean(sum.wide_quiet, each.wide_quiet);
      mean(sum.wide_shared, each.wide_shared);
      sum.probes = statistics::SumOfCounts(sum.probes, each.probes);
      sum.waited_s += each.waited_s;
    }
  }
  std::vector<Contention> merged;
  for (const auto& [cpu, contention] : by_cpu) merged.push_back(contention);
  return merged;
}

// A warning about what is missing says nothing of a document that has it from another run; that
// values were measured on a shared core, each of them says itself.
bool Holds(const Warning& warning, const Document& whole) {
  const std::map<std::string_view, bool> has = {{"no-frequency", !whole.frequency.empty()},
                                                {"no-cores", !whole.cores.empty()},
                                                {"no-memory", !whole.memory.empty()},
                                                {"no-anatomy", whole.anatomy.has_value()},
                                                {"no-instructions", !whole.instructions.empty()},
                                                {"no-gpu", !whole.gpu.empty()},
                                                {"no-sweep", whole.sweep.has_value()},
                                                {"no-port-map", whole.port_map.has_value()},
                                                {"shared-core", true}};
  const auto found = has.find(warning.code);
  return found == has.end() || !found->second;
}

void MergeWarnings(std::span<const Document> runs, Document& whole) {
  std::set<std::pair<std::string, std::string>> known;
  for (const Document& run : runs) {
    for (const Warning& warning : run.warnings) {
      if (Holds(warning, whole) && known.emplace(warning.code, warning.message).second)
        whole.warnings.push_back(warning);
    }
  }
}

// The last run that has it.
template <typename Has>
const Document* LastThat(std::span<const Document> runs, Has has) {
  const Document* last = nullptr;
  for (const Document& run : runs) {
    if (has(run) && (last == nullptr || run.config.started >= last->config.started)) last = &run;
  }
  return last;
}

std::size_t IndexOf(std::span<const Document> runs, const Document* run) {
  return static_cast<std::size_t>(run - runs.data());
}

// The state of the machine: that of the last run.
void TakeState(std::span<const Document> runs, Provenance& provenance, Document& whole) {
  const Document* last = LastThat(runs, [](const Document&) { return true; });
  whole.tool = last->tool;
  whole.host = last->host;
  whole.engine = last->engine;
  provenance.Add("host", IndexOf(runs, last));
  // A run of a GPU counts no cycles.
  const auto has_clock = [](const Document& run) { return !run.clock.cycle_source.empty(); };
  const auto is_trusted = [&](const Document& run) {
    return has_clock(run) && (!run.clock.self_check || run.clock.self_check->trusted);
  };
  const Document* of_clock = LastThat(runs, is_trusted);
  if (of_clock == nullptr) of_clock = LastThat(runs, has_clock);
  if (of_clock == nullptr) of_clock = last;
  whole.clock = of_clock->clock;
  provenance.Add("clock", IndexOf(runs, of_clock));
  const auto take = [&](std::string_view part, auto member, auto has) {
    const Document* found =
        LastThat(runs, [&](const Document& run) { return has(std::invoke(member, run)); });
    if (found == nullptr) return;
    std::invoke(member, whole) = std::invoke(member, *found);
    provenance.Add(std::string(part), IndexOf(runs, found));
  };
  take("doctor", &Document::doctor, [](const auto& checks) { return !checks.empty(); });
  take("fleet", &Document::fleet, [](const auto& fleet) { return fleet.has_value(); });
  take("hosts", &Document::hosts, [](const auto& hosts) { return hosts.has_value(); });
}

// Values that a pair of runs disagrees about, with the pair that disagrees most.
struct Disagreement {
  double relative = 0;
  Claim claim;
};

void AddDisagreements(std::span<const Document> runs, std::size_t first, std::size_t second,
                      std::map<std::pair<ValueKind, std::string>, Disagreement>& found) {
  const Document pair[] = {runs[first], runs[second]};
  const Comparison comparison = Compare(pair, {});
  for (const ComparedKind& kind : comparison.kinds) {
    for (const ComparedValue& value : kind.values) {
      const Change& change = value.changes.front();
      if (change.verdict != Verdict::kChanged) continue;
      Disagreement& known = found[{kind.kind, value.name}];
      if (std::abs(change.relative) <= known.relative) continue;
      known.relative = std::abs(change.relative);
      known.claim = {ClaimCode::kRunsDisagree,
                     {{"what", value.name},
                      {"kind", std::string(ToString(kind.kind))},
                      {"unit", std::string(UnitOf(kind.kind))},
                      {"first", value.estimates[0]->value},
                      {"first_run", RunName(runs[first], first)},
                      {"second", value.estimates[1]->value},
                      {"second_run", RunName(runs[second], second)}}};
    }
  }
}

void FindDisagreements(std::span<const Document> runs, Merged& merged) {
  std::map<std::pair<ValueKind, std::string>, Disagreement> found;
  for (std::size_t second = 1; second < runs.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first)
      AddDisagreements(runs, first, second, found);
  }
  std::vector<Disagreement> sorted;
  for (auto& [key, disagreement] : found) sorted.push_back(std::move(disagreement));
  std::ranges::stable_sort(sorted, std::ranges::greater(), &Disagreement::relative);
  merged.disagreed = static_cast<int>(sorted.size());
  if (sorted.size() > kMostDisagreements) sorted.resize(kMostDisagreements);
  for (Disagreement& disagreement : sorted) merged.claims.push_back(std::move(disagreement.claim));
}

// A part that no run measured to its end is not whole in the merged document either.
bool IsPartial(std::span<const Document> runs, const Document& whole) {
  const auto is_missing = [&](auto has) {
    return has(whole) && std::ranges::none_of(
                             runs, [&](const Document& run) { return has(run) && !run.partial; });
  };
  return is_missing([](const Document& each) { return !each.instructions.empty(); }) ||
         is_missing([](const Document& each) { return !each.blocks.empty(); }) ||
         is_missing([](const Document& each) { return !each.cores.empty(); }) ||
         is_missing([](const Document& each) { return !each.memory.empty(); }) ||
         is_missing([](const Document& each) { return each.anatomy.has_value(); }) ||
         is_missing([](const Document& each) { return !each.gpu.empty(); }) ||
         (whole.sweep && whole.sweep->not_reached > 0);
}

}  // namespace

Result<Document> MergeRuns(std::span<const Document> runs) {
  assert(runs.size() >= 2);
  TRY(CheckRuns(runs));
  Document whole;
  whole.merged.emplace();
  for (const Document& run : runs) whole.merged->runs.push_back(DescribeRun(run));
  Provenance provenance;
  TakeState(runs, provenance, whole);
  whole.config.command = "merge";
  whole.config.confidence = runs.front().config.confidence;
  whole.config.started = std::ranges::min(runs, {}, [](const Document& run) {
                           return run.config.started;
                         }).config.started;
  const Runs all = {.documents = runs, .confidence = whole.config.confidence};
  MergeInstructions(all, provenance, whole);
  MergeRows(all, provenance, whole);
  whole.contention = MergeContention(runs);
  MergeWarnings(runs, whole);
  whole.partial = IsPartial(runs, whole);
  FindDisagreements(runs, *whole.merged);
  whole.merged->parts = provenance.Take();
  return whole;
}

}  // namespace cyclescope::merge
