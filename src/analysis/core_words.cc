#include "analysis/core_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>
#include <vector>

#include "analysis/claims.h"
#include "base/text.h"
#include "statistics/groups.h"

namespace cyclescope {
namespace {

// ---- Findings

bool HasFigures(const CoreFinding& finding) {
  return finding.nanoseconds || finding.compared_ns || finding.least_ns || finding.speed ||
         finding.ratio || finding.share || finding.pairs != 0;
}

void AddOutwardRange(const CoreFinding& finding, Claim& claim) {
  if (!finding.least_ns || !finding.most_ns) return;
  claim.figures.emplace_back("least", *finding.least_ns);
  claim.figures.emplace_back("most", *finding.most_ns);
}

std::string Duration(double ms) {
  if (ms < 1) return "less than a millisecond";
  return ms < 1000 ? fmt::format("{:.0f} ms", ms) : fmt::format("{:.1f} s", ms / 1000);
}

// "the same pair was on one core (8 ns) in 0.6 % of visits, at 63 ns in 31 %, at 102 ns in 68 %"
std::string FloatingShares(const CoreFloating& floating) {
  std::string text;
  for (std::size_t i = 0; i < floating.levels.size(); ++i) {
    const FloatingLevel& level = floating.levels[i];
    if (i > 0) text += i + 1 == floating.levels.size() ? " and " : ", ";
    text += fmt::format("at {:.0f} ns in {}", level.nanoseconds, PercentText(level.share));
  }
  return text;
}

Claim FloatingClaim(const CoreMatrix& matrix, const CoreFinding& finding) {
  Claim claim{ClaimCode::kFloatingCpus, {}};
  if (!matrix.floating) return claim;
  const CoreFloating& floating = *matrix.floating;
  if (finding.share.value_or(0) > 0) claim.figures.emplace_back("share", *finding.share);
  if (!floating.levels.empty()) claim.figures.emplace_back("levels", FloatingShares(floating));
  if (floating.residence_ms) {
    claim.figures.emplace_back("stays", Duration(*floating.residence_ms));
  } else if (floating.followed_ms > 0) {
    claim.figures.emplace_back("followed", Duration(floating.followed_ms));
  }
  return claim;
}

// Latencies as a reader wants them: in the scale's unit where the CPU's clock is known.
Claim PairClaim(const CoreMatrix& matrix, const CoreFinding& finding, const CoreScale& scale) {
  const int first = finding.cpus.empty() ? 0 : finding.cpus.front();
  const int second = finding.cpus.empty() ? 0 : finding.cpus.back();
  const auto row_of = [&matrix](int cpu) {
    return static_cast<std::size_t>(std::ranges::find(matrix.cpus, cpu) - matrix.cpus.begin());
  };
  const bool is_known = row_of(first) < matrix.cpus.size() && row_of(second) < matrix.cpus.size();
  const auto scaled = [&](int cpu, const std::optional<double>& ns) {
    return is_known ? scale.Of(row_of(cpu), ns.value_or(0)) : ns.value_or(0);
  };
  const bool is_asymmetry = finding.kind == FindingKind::kAsymmetry;
  Claim claim{is_asymmetry ? ClaimCode::kAsymmetry : ClaimCode::kOutlier,
              {{"first", static_cast<double>(first)},
               {"second", static_cast<double>(second)},
               {"there", scaled(first, finding.nanoseconds)},
               {"unit", is_known ? std::string(scale.unit) : std::string(CoreScale().unit)}}};
  if (is_asymmetry) {
    claim.figures.emplace_back("back", scaled(second, finding.compared_ns));
  } else {
    claim.figures.emplace_back("usual", scaled(first, finding.compared_ns));
  }
  if (finding.more > 0) claim.figures.emplace_back("more", static_cast<double>(finding.more));
  return claim;
}

Claim CoreClaim(const CoreFinding& finding) {
  const int first = finding.cpus.empty() ? 0 : finding.cpus.front();
  const int second = finding.cpus.empty() ? 0 : finding.cpus.back();
  Claim claim{finding.kind == FindingKind::kSharedCore ? ClaimCode::kHiddenSharedCore
                                                       : ClaimCode::kSplitCore,
              {{"cpus", fmt::format("{} and {}", first, second)},
               {"ns", finding.nanoseconds.value_or(0)},
               {"speed", 100 * finding.speed.value_or(0)},
               {"first", static_cast<double>(first)},
               {"second", static_cast<double>(second)}}};
  AddOutwardRange(finding, claim);
  return claim;
}

Claim ClusterClaim(const CoreFinding& finding) {
  Claim claim{ClaimCode::kHiddenCluster,
              {{"cpus", FormatRanges(finding.cpus)}, {"ns", finding.nanoseconds.value_or(0)}}};
  AddOutwardRange(finding, claim);
  return claim;
}

// ---- Structure

// The words of one level: how many groups, of how many cores each.
struct LevelCount {
  std::size_t groups = 0;
  std::size_t fewest = 0;
  std::size_t most = 0;
};

std::string GroupsText(const LevelCount& count) {
  const std::string size = count.fewest == count.most
                               ? fmt::format("{}", count.fewest)
                               : fmt::format("{} to {}", count.fewest, count.most);
  return count.groups == 1 ? "a group of " + size
                           : fmt::format("{} groups of {}", count.groups, size);
}

bool IsCore(const CoreGroup& group) {
  return group.level == 0 &&
         (group.nanoseconds <= statistics::kSameCoreNs || group.name.starts_with("core "));
}

// Cores with their threads, and how many cores a list of CPUs is.
struct Cores {
  std::map<std::size_t, std::size_t> by_threads;      // number of cores by threads
  std::map<int, std::pair<int, std::size_t>> of_cpu;  // first CPU of its core, and its threads

  std::size_t CountIn(const std::vector<int>& cpus) const {
    std::size_t count = 0;
    for (const int cpu : cpus) {
      const auto core = of_cpu.find(cpu);
      count += core == of_cpu.end() || core->second.first == cpu ? 1 : 0;
    }
    return count;
  }
};

Cores CoresOf(const CoreMatrix& matrix) {
  Cores cores;
  std::size_t in_cores = 0;
  for (const CoreGroup& group : matrix.groups) {
    if (!IsCore(group) || group.cpus.empty()) continue;
    ++cores.by_threads[group.cpus.size()];
    in_cores += group.cpus.size();
    for (const int cpu : group.cpus) {
      cores.of_cpu[cpu] = {group.cpus.front(), group.cpus.size()};
    }
  }
  if (in_cores < matrix.cpus.size()) cores.by_threads[1] = matrix.cpus.size() - in_cores;
  return cores;
}

// Groups of one level whose cores have the same number of threads (0: mixed).
using Levels = std::map<int, std::map<std::size_t, LevelCount>>;

Levels LevelsOf(const CoreMatrix& matrix, const Cores& cores) {
  Levels levels;
  for (const CoreGroup& group : matrix.groups) {
    if (IsCore(group) || group.cpus.empty()) continue;
    std::vector<std::size_t> threads;
    for (const int cpu : group.cpus) {
      const auto core = cores.of_cpu.find(cpu);
      threads.push_back(core == cores.of_cpu.end() ? 1 : core->second.second);
    }
    const auto [fewest, most] = std::ranges::minmax(threads);
    const std::size_t size = cores.CountIn(group.cpus);
    if (size < 2) continue;  // the threads of one core, which are told as such
    LevelCount& count = levels[group.level][fewest == most ? fewest : 0];
    count.fewest = count.groups == 0 ? size : std::min(count.fewest, size);
    count.most = std::max(count.most, size);
    ++count.groups;
  }
  return levels;
}

}  // namespace

Claim ClaimOf(const CoreMatrix& matrix, const CoreFinding& finding, const CoreScale& scale) {
  const double more_percent = 100 * (finding.ratio.value_or(1) - 1);
  switch (finding.kind) {
    case FindingKind::kSharedCore:
    case FindingKind::kSplitCore:
      return CoreClaim(finding);
    case FindingKind::kHiddenCluster:
      return ClusterClaim(finding);
    case FindingKind::kAsymmetry:
    case FindingKind::kOutlier:
      return PairClaim(matrix, finding, scale);
    case FindingKind::kDrift:
      return {ClaimCode::kDrift, {{"percent", more_percent}}};
    case FindingKind::kParallelBias:
      return {ClaimCode::kParallelBias,
              {{"percent", more_percent}, {"pairs", static_cast<double>(finding.pairs)}}};
    case FindingKind::kFloating:
      return FloatingClaim(matrix, finding);
  }
  std::unreachable();
}

std::string FindingText(const CoreMatrix& matrix, const CoreFinding& finding,
                        const CoreScale& scale) {
  return HasFigures(finding) ? Sentence(ClaimOf(matrix, finding, scale)) : finding.text;
}

std::string StructureText(const CoreMatrix& matrix) {
  if (matrix.cpus.size() < 3 || matrix.stability == Stability::kFloating) return "";
  const Cores cores = CoresOf(matrix);
  const Levels levels = LevelsOf(matrix, cores);
  if (levels.empty() && cores.of_cpu.empty()) {
    return fmt::format("{} CPUs, about equally far from each other: no groups", matrix.cpus.size());
  }
  const bool has_threads = !cores.of_cpu.empty();
  std::string text;
  // Cores with most threads first; what is said of all cores comes in the end.
  for (const auto& [threads, count] : cores.by_threads | std::views::reverse) {
    if (!text.empty()) text += " and ";
    if (threads > 1) {
      text += fmt::format("{} core{} with {} threads", count, count == 1 ? "" : "s", threads);
    } else {
      text += has_threads ? fmt::format("{} with one", count) : fmt::format("{} CPUs", count);
    }
    for (const auto& [level, by_threads] : levels) {
      const auto found = by_threads.find(threads);
      if (found != by_threads.end()) text += " in " + GroupsText(found->second);
    }
  }
  for (const auto& [level, by_threads] : levels) {
    const auto mixed = by_threads.find(0);
    if (mixed != by_threads.end()) text += ", all in " + GroupsText(mixed->second);
  }
  return text;
}

std::string PercentText(double share) {
  const double percent = 100 * share;
  return percent < 10 ? fmt::format("{:.2g} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string LevelsText(const CoreMatrix& matrix) {
  std::string text;
  for (const CoreLevel& level : matrix.spectrum.levels) {
    if (!text.empty()) text += ", ";
    text +=
        fmt::format("{} {:.3g} ns ({})", level.name, level.nanoseconds, PercentText(level.share));
  }
  return text;
}

}  // namespace cyclescope
