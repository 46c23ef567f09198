#include "cores/findings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "statistics/groups.h"

namespace cyclescope::cores {
namespace {

// A whole core's loop takes about twice as long next to a copy on the same core (from 1.6 where the
// copies fill each other's gaps), and no longer than alone on another core.
constexpr double kSharedSlowdown = 1.4;
constexpr double kApartSlowdown = 1.15;
// Between two threads of one core, at most; they answer each other within kSameCoreNs on a quiet
// one.
constexpr double kFarthestThreadsNs = 1.5 * statistics::kSameCoreNs;

// Directions differ when they do so by at least this much, and by this many times the uncertainty
// of both: twice lets chance find none among the 300,000 pairs of 768 CPUs.
constexpr double kAsymmetryRatio = 1.1;
constexpr double kAsymmetryUncertainties = 2;
// A pair is off when it stands this far above all others that belong with it.
constexpr double kOutlierRatio = 1.3;
constexpr std::size_t kMinPairsForOutlier = 10;
constexpr double kParallelBiasRatio = 1.05;
// A median of fewer pairs than this is beyond that by chance.
constexpr int kMinPairsForBias = 6;
// Others are farther away than the members of a group are from each other, by at least this.
constexpr double kClusterRatio = 1.1;

// More trials or findings of one kind than this do not help.
constexpr std::size_t kMostTrials = 512;
constexpr std::size_t kMaxFindingsOfAKind = 8;

// The system's word on whether two CPUs share a core; unset where it says nothing on one of them.
std::optional<bool> ClaimsSameCore(std::span<const CpuPlace> topology, int first, int second) {
  const std::optional<int> first_core = CpuPlaceOf(topology, first).core;
  const std::optional<int> second_core = CpuPlaceOf(topology, second).core;
  if (!first_core || !second_core) return std::nullopt;
  return first_core == second_core;
}

const CoreGroup* TightestCommonGroup(const CoreMatrix& matrix, int first, int second) {
  const auto common = std::ranges::find_if(matrix.groups, [&](const CoreGroup& group) {
    return std::ranges::binary_search(group.cpus, first) &&
           std::ranges::binary_search(group.cpus, second);
  });
  return common == matrix.groups.end() ? nullptr : &*common;  // groups ascend by level
}

double Latency(const CoreMatrix& matrix, pairs::CpuPair pair) {
  const std::size_t first = statistics::RowOf(matrix, pair.first);
  const std::size_t second = statistics::RowOf(matrix, pair.second);
  const double there = matrix.nanoseconds.At(first, second);
  return std::isnan(there) ? matrix.nanoseconds.At(second, first) : there;
}

// The range between a group's members and all others.
void SetOutwardRange(const CoreMatrix& matrix, std::span<const int> cpus, CoreFinding& finding) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const int cpu : cpus) {
    for (const int other : matrix.cpus) {
      if (std::ranges::find(cpus, other) != cpus.end()) continue;
      const double value = Latency(matrix, {cpu, other});
      if (std::isnan(value)) continue;
      least = std::min(least, value);
      most = std::max(most, value);
    }
  }
  if (most == 0) return;
  finding.least_ns = least;
  finding.most_ns = most;
}

// ---- Cores that are shared although the system says otherwise, or the reverse

void AppendTrials(const CoreMatrix& matrix, std::span<const CpuPlace> topology,
                  std::span<const CoreTrial> trials, std::vector<CoreFinding>& findings) {
  for (const auto& [pair, slowdown] : trials) {
    const bool claimed = ClaimsSameCore(topology, pair.first, pair.second).value_or(false);
    // Two threads of one core are close, too.
    const bool shared =
        !claimed && slowdown >= kSharedSlowdown && Latency(matrix, pair) <= kFarthestThreadsNs;
    const bool split = claimed && slowdown > 0 && slowdown <= kApartSlowdown;
    if (!shared && !split) continue;
    CoreFinding finding;
    finding.kind = shared ? FindingKind::kSharedCore : FindingKind::kSplitCore;
    finding.cpus = {pair.first, pair.second};
    finding.nanoseconds = Latency(matrix, pair);
    finding.speed = 1 / slowdown;
    if (shared) SetOutwardRange(matrix, finding.cpus, finding);
    findings.push_back(std::move(finding));
  }
}

bool Confirmed(const CoreGroup& group, std::span<const CoreTrial> trials) {
  return std::ranges::any_of(trials, [&group](const CoreTrial& trial) {
    return trial.slowdown >= kSharedSlowdown &&
           std::ranges::binary_search(group.cpus, trial.pair.first) &&
           std::ranges::binary_search(group.cpus, trial.pair.second);
  });
}

// Groups by likeness are no closer to each other than to the rest; they are no such finding.
void AppendHiddenClusters(const CoreMatrix& matrix, std::span<const CoreTrial> trials,
                          std::vector<CoreFinding>& findings) {
  for (const CoreGroup& group : matrix.groups) {
    if (group.in_topology || (group.level == 0 && Confirmed(group, trials))) continue;
    CoreFinding finding;
    finding.kind = FindingKind::kHiddenCluster;
    finding.cpus = group.cpus;
    finding.nanoseconds = group.nanoseconds;
    SetOutwardRange(matrix, group.cpus, finding);
    if (finding.least_ns && *finding.least_ns > kClusterRatio * group.nanoseconds) {
      findings.push_back(std::move(finding));
    }
  }
}

// ---- Oddities of single pairs

struct OddPair {
  double size = 0;  // how odd it is, for sorting
  CoreFinding finding;
};

// The oddest few, and how many more there are.
void AppendOddest(std::vector<OddPair> odd, std::vector<CoreFinding>& findings) {
  std::ranges::sort(odd, std::ranges::greater{}, &OddPair::size);
  const std::size_t shown = std::min(odd.size(), kMaxFindingsOfAKind);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i + 1 == shown) odd[i].finding.more = static_cast<int>(odd.size() - shown);
    findings.push_back(std::move(odd[i].finding));
  }
}

OddPair MakeOdd(FindingKind kind, pairs::CpuPair pair, double ns, double compared_ns) {
  OddPair odd;
  odd.size = ns / compared_ns;
  odd.finding.kind = kind;
  odd.finding.cpus = {pair.first, pair.second};
  odd.finding.nanoseconds = ns;
  odd.finding.compared_ns = compared_ns;
  return odd;
}

void AppendAsymmetries(const CoreMatrix& matrix, std::vector<CoreFinding>& findings) {
  if (matrix.low.size() == 0 || matrix.high.size() == 0) return;
  std::vector<OddPair> odd;
  for (std::size_t i = 0; i < matrix.cpus.size(); ++i) {
    for (std::size_t j = 0; j < matrix.cpus.size(); ++j) {
      const double there = matrix.nanoseconds.At(i, j);
      const double back = matrix.nanoseconds.At(j, i);
      const double uncertainty = (matrix.high.At(i, j) - matrix.low.At(i, j) +
                                  matrix.high.At(j, i) - matrix.low.At(j, i)) /
                                 2;
      // Comparing with NaN is false, so unmeasured pairs drop out here.
      if (!(there > kAsymmetryRatio * back)) continue;
      if (!(there - back > kAsymmetryUncertainties * uncertainty)) continue;
      odd.push_back(
          MakeOdd(FindingKind::kAsymmetry, {matrix.cpus[i], matrix.cpus[j]}, there, back));
    }
  }
  AppendOddest(std::move(odd), findings);
}

// Pairs by the tightest group that holds both CPUs, or by none; a pair is odd when it stands apart
// above the rest of its class, with its interval. Values that many pairs have are structure, not
// oddities.
void AppendOutliers(const CoreMatrix& matrix, std::vector<CoreFinding>& findings) {
  if (matrix.low.size() == 0 || matrix.high.size() == 0) return;
  struct Valued {
    double ns = 0;
    double low_ns = 0;
    double high_ns = 0;
    pairs::CpuPair pair;
  };
  // Row by row, so that the groups of CPU i are looked up once, not for each of its pairs.
  std::vector<std::vector<Valued>> classes(matrix.groups.size() + 1);
  for (std::size_t i = 0; i < matrix.cpus.size(); ++i) {
    std::vector<std::size_t> class_of(matrix.cpus.size(), matrix.groups.size());
    for (std::size_t g = matrix.groups.size(); g-- > 0;) {
      if (!std::ranges::binary_search(matrix.groups[g].cpus, matrix.cpus[i])) continue;
      for (const int cpu : matrix.groups[g].cpus) class_of[statistics::RowOf(matrix, cpu)] = g;
    }
    for (std::size_t j = 0; j < matrix.cpus.size(); ++j) {
      if (!matrix.nanoseconds.Has(i, j)) continue;
      classes[class_of[j]].push_back({.ns = matrix.nanoseconds.At(i, j),
                                      .low_ns = matrix.low.At(i, j),
                                      .high_ns = matrix.high.At(i, j),
                                      .pair = {matrix.cpus[i], matrix.cpus[j]}});
    }
  }

  std::vector<OddPair> odd;
  for (std::vector<Valued>& members : classes) {
    if (members.size() < kMinPairsForOutlier) continue;
    std::ranges::sort(members, {}, &Valued::ns);
    const std::size_t most_odd = std::max<std::size_t>(2, members.size() / 200);
    const double typical = members[members.size() / 2].ns;
    for (std::size_t i = members.size() - most_odd; i < members.size(); ++i) {
      if (!(members[i].low_ns >= kOutlierRatio * members[i - 1].high_ns)) continue;
      for (std::size_t k = i; k < members.size(); ++k)
        odd.push_back(MakeOdd(FindingKind::kOutlier, members[k].pair, members[k].ns, typical));
      break;
    }
  }
  AppendOddest(std::move(odd), findings);
}

// ---- The run as a whole

void AppendParallelBias(const ParallelCheck& parallel, std::vector<CoreFinding>& findings) {
  if (parallel.pairs < kMinPairsForBias ||
      (parallel.ratio < kParallelBiasRatio && parallel.ratio > 1 / kParallelBiasRatio))
    return;
  CoreFinding finding;
  finding.kind = FindingKind::kParallelBias;
  finding.pairs = parallel.pairs;
  finding.ratio = parallel.ratio;
  findings.push_back(std::move(finding));
}

// What the visits say; nothing where there were none.
void AppendStability(const CoreMatrix& matrix, const pairs::StabilityVerdict& verdict,
                     std::vector<CoreFinding>& findings) {
  CoreFinding finding;
  switch (verdict.stability) {
    case Stability::kStable:
      return;
    case Stability::kDrifting:
      finding.kind = FindingKind::kDrift;
      finding.ratio = verdict.drift_ratio;
      break;
    case Stability::kFloating:
      finding.kind = FindingKind::kFloating;
      finding.cpus = matrix.cpus;
      finding.pairs = verdict.pairs_moved;
      finding.share = verdict.same_core_share;
      break;
  }
  findings.push_back(std::move(finding));
}

}  // namespace

std::vector<pairs::CpuPair> PairsOnTrial(const CoreMatrix& matrix,
                                         std::span<const CpuPlace> topology) {
  // Two CPUs alone have nothing to be compared with.
  if (matrix.cpus.size() == 2) return {{matrix.cpus[0], matrix.cpus[1]}};

  const bool floats = matrix.stability == Stability::kFloating;
  std::vector<pairs::CpuPair> pairs;
  const auto close = [&matrix](pairs::CpuPair pair) {
    const CoreGroup* group = TightestCommonGroup(matrix, pair.first, pair.second);
    return group != nullptr && group->level == 0;
  };
  // Of each core that the system lists, its first CPU with each of the others.
  std::map<int, int> first_of_core;
  for (const CpuPlace& place : topology) {
    if (floats || !place.core || !std::ranges::binary_search(matrix.cpus, place.cpu)) continue;
    const auto [first, is_first] = first_of_core.emplace(*place.core, place.cpu);
    const pairs::CpuPair pair = {first->second, place.cpu};
    if (!is_first && !close(pair)) pairs.push_back(pair);
  }
  // And of each small group without a name in the topology, which could be a core.
  constexpr std::size_t kMostThreadsPerCore = 8;
  for (const CoreGroup& group : matrix.groups) {
    if (group.level > 0 || group.in_topology || group.cpus.size() > kMostThreadsPerCore) continue;
    for (std::size_t i = 1; i < group.cpus.size(); ++i) {
      const pairs::CpuPair pair = {group.cpus[0], group.cpus[i]};
      if (!ClaimsSameCore(topology, pair.first, pair.second).value_or(false)) pairs.push_back(pair);
    }
  }
  if (pairs.size() > kMostTrials) pairs.resize(kMostTrials);
  return pairs;
}

std::vector<CoreFinding> FindFindings(const CoreMatrix& matrix, std::span<const CpuPlace> topology,
                                      std::span<const CoreTrial> trials,
                                      const pairs::StabilityVerdict& verdict) {
  std::vector<CoreFinding> findings;
  AppendStability(matrix, verdict, findings);
  AppendTrials(matrix, topology, trials, findings);
  if (verdict.stability != Stability::kFloating) {
    if (!topology.empty()) AppendHiddenClusters(matrix, trials, findings);
    AppendAsymmetries(matrix, findings);
    AppendOutliers(matrix, findings);
  }
  if (matrix.parallel) AppendParallelBias(*matrix.parallel, findings);
  return findings;
}

}  // namespace cyclescope::cores
