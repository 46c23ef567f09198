#include "analysis/core_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>
#include <vector>

#include "base/ranges.h"
#include "statistics/groups.h"

namespace cyclescope {
namespace {

// ---- Findings

bool HasFigures(const CoreFinding& finding) {
  return finding.nanoseconds || finding.compared_ns || finding.least_ns || finding.speed ||
         finding.ratio || finding.share || finding.pairs != 0;
}

std::string Loop(const CoreFinding& finding, int first, int second) {
  return fmt::format(
      "a loop that needs a whole core runs at {:.0f} % of its speed on CPU {} while CPU {} runs it "
      "too",
      100 * finding.speed.value_or(0), first, second);
}

std::string ToTheOthers(const CoreFinding& finding) {
  if (!finding.least_ns || !finding.most_ns) return "";
  return fmt::format("{:.0f} to {:.0f} ns", *finding.least_ns, *finding.most_ns);
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

std::string FloatingText(const CoreMatrix& matrix, const CoreFinding& finding) {
  std::string text = "virtual CPUs move between cores: the same pair was ";
  if (finding.share.value_or(0) > 0) {
    text += fmt::format("on one core in {} of visits, ", PercentText(*finding.share));
  }
  if (matrix.floating) {
    text += FloatingShares(*matrix.floating) + " of all visits; ";
    if (matrix.floating->residence_ms) {
      text += fmt::format("it stays for {} on average; ", Duration(*matrix.floating->residence_ms));
    } else if (matrix.floating->followed_ms > 0) {
      text += fmt::format("none moved while pairs were followed for {}; ",
                          Duration(matrix.floating->followed_ms));
    }
  }
  return text + "placement by CPU number means nothing on this machine";
}

std::string PairText(const CoreMatrix& matrix, const CoreFinding& finding, const CoreScale& scale,
                     int first, int second) {
  const auto taken = [&](int from, int to, const std::optional<double>& ns) {
    const auto row = std::ranges::find(matrix.cpus, from);
    const bool known = row != matrix.cpus.end();
    const double value =
        known ? scale.Of(static_cast<std::size_t>(row - matrix.cpus.begin()), ns.value_or(0))
              : ns.value_or(0);
    return std::pair(fmt::format("{} to {}", from, to),
                     fmt::format("{:.1f} {}", value, known ? scale.unit : CoreScale().unit));
  };
  const auto [pair, there] = taken(first, second, finding.nanoseconds);
  std::string text;
  if (finding.kind == FindingKind::kAsymmetry) {
    const auto [reverse, back] = taken(second, first, finding.compared_ns);
    text = fmt::format("CPU {} takes {}, but {} takes {}", pair, there, reverse, back);
  } else {
    text = fmt::format("CPU {} takes {}, where pairs like it take {}", pair, there,
                       taken(first, second, finding.compared_ns).second);
  }
  if (finding.more > 0) text += fmt::format(" (and {} more pairs like it)", finding.more);
  return text;
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

std::string FindingText(const CoreMatrix& matrix, const CoreFinding& finding,
                        const CoreScale& scale) {
  if (!HasFigures(finding)) return finding.text;
  const std::string cpus = FormatRanges(finding.cpus);
  const int first = finding.cpus.empty() ? 0 : finding.cpus.front();
  const int second = finding.cpus.empty() ? 0 : finding.cpus.back();
  const double ns = finding.nanoseconds.value_or(0);
  const std::string others = ToTheOthers(finding);
  switch (finding.kind) {
    case FindingKind::kSharedCore:
      return fmt::format(
          "CPUs {} and {} share a core, which the system does not say: {:.0f} ns between them{}; "
          "{}",
          first, second, ns, others.empty() ? "" : ", " + others + " to the others",
          Loop(finding, first, second));
    case FindingKind::kSplitCore:
      return fmt::format(
          "CPUs {} and {} do not share a core, although the system says so: {:.0f} ns between "
          "them, "
          "and {}",
          first, second, ns, Loop(finding, first, second));
    case FindingKind::kHiddenCluster:
      return fmt::format(
          "CPUs {} are closer to each other ({:.0f} ns) than to the others ({}), and the system "
          "lists "
          "nothing that they share",
          cpus, ns, others);
    case FindingKind::kAsymmetry:
    case FindingKind::kOutlier:
      return PairText(matrix, finding, scale, first, second);
    case FindingKind::kDrift:
      return fmt::format(
          "the machine changed during the run: all pairs together took up to {:.0f} % longer at "
          "one "
          "time than at another",
          100 * (finding.ratio.value_or(1) - 1));
    case FindingKind::kParallelBias:
      return fmt::format(
          "pairs measured at once take {:+.1f} % compared with {} of them measured alone; run "
          "without "
          "--parallel for exact values",
          100 * (finding.ratio.value_or(1) - 1), finding.pairs);
    case FindingKind::kFloating:
      return FloatingText(matrix, finding);
  }
  std::unreachable();
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
