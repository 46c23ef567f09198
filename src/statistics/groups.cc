#include "statistics/groups.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "statistics/dendrogram.h"
#include "statistics/statistics.h"

namespace cyclescope::statistics {
namespace {

using Members = std::vector<std::size_t>;  // positions in CoreMatrix::cpus, ascending

// The smaller of both directions, or the one there is: a disturbance only ever adds to a latency.
double Between(const PairMatrix& values, std::size_t i, std::size_t j) {
  return std::fmin(values.At(i, j), values.At(j, i));  // which ignores NaN
}

// The value that a share of all lies below; disturbed pairs beyond it count for nothing. Reorders.
double AtShare(std::vector<double>& values, double share) {
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, values.begin() + place);
  return values[static_cast<std::size_t>(place)];
}

// ---- The tree of merges

// A cluster of the dendrogram with the distances at which it came about and was merged with the
// next.
struct Cluster {
  Members members;
  double distance = 0;
  double next_distance = std::numeric_limits<double>::infinity();
};

// All clusters but the one of everything, in ascending order of distance.
std::vector<Cluster> Clusters(std::size_t count, std::span<const Merge> merges) {
  std::vector<std::size_t> cluster_of(count);  // the latest that holds the item
  std::vector<Cluster> clusters(count);
  for (std::size_t i = 0; i < count; ++i) {
    clusters[i].members = {i};
    cluster_of[i] = i;
  }
  for (const Merge& merge : merges) {
    Cluster merged;
    merged.distance = merge.distance;
    for (const std::size_t part : {cluster_of[merge.left], cluster_of[merge.right]}) {
      clusters[part].next_distance = merge.distance;
      const Members& members = clusters[part].members;
      merged.members.insert(merged.members.end(), members.begin(), members.end());
    }
    std::ranges::sort(merged.members);
    for (const std::size_t member : merged.members) cluster_of[member] = clusters.size();
    clusters.push_back(std::move(merged));
  }
  std::erase_if(clusters, [count](const Cluster& cluster) {
    return cluster.members.size() < 2 || cluster.members.size() == count;
  });
  return clusters;
}

// ---- Closer to each other than to the rest

// What a cluster's pairs look like from within and to the outside.
struct Contrast {
  std::vector<double> within;
  std::vector<double> within_high;
  std::vector<double> outward;
  std::vector<double> outward_low;
  double nearest_outside = std::numeric_limits<double>::infinity();  // median to the members
};

Contrast Compare(const CoreMatrix& matrix, const Members& members) {
  std::vector<bool> inside(matrix.cpus.size(), false);
  for (const std::size_t member : members) inside[member] = true;
  Contrast contrast;
  for (std::size_t other = 0; other < matrix.cpus.size(); ++other) {
    std::vector<double> to_members;
    for (const std::size_t member : members) {
      if (other == member || (inside[other] && other < member)) continue;
      const double value = Between(matrix.nanoseconds, member, other);
      if (std::isnan(value)) continue;
      const bool has_intervals = matrix.low.size() != 0 && matrix.high.size() != 0;
      if (inside[other]) {
        contrast.within.push_back(value);
        if (has_intervals) contrast.within_high.push_back(Between(matrix.high, member, other));
      } else {
        contrast.outward.push_back(value);
        to_members.push_back(value);
        if (has_intervals) contrast.outward_low.push_back(Between(matrix.low, member, other));
      }
    }
    if (!inside[other] && !to_members.empty()) {
      contrast.nearest_outside = std::min(contrast.nearest_outside, Median(to_members));
    }
  }
  return contrast;
}

// A cluster is a group when nearly all of its pairs are clearly closer than nearly all that lead
// out of it, no single CPU outside is as close as they are, and the measured intervals do not blur
// the difference.
bool IsGroup(Contrast& contrast, double ratio) {
  constexpr double kCoveredShare = 0.9;
  if (contrast.within.empty() || contrast.outward.empty()) return false;
  const double farthest_within = AtShare(contrast.within, kCoveredShare);
  if (AtShare(contrast.outward, 1 - kCoveredShare) < ratio * farthest_within) return false;
  if (contrast.nearest_outside < ratio * Median(contrast.within)) return false;
  return contrast.within_high.empty() ||
         Median(contrast.within_high) < Median(contrast.outward_low);
}

struct Found {
  Members members;
  double nanoseconds = 0;
  int level = 0;
  bool weak = false;  // a pair that is a group only if all CPUs come in such pairs
};

// One pair stands on a single value, which chance makes small more easily than many. Threads of a
// core are at least twice as close as anything else; where pairs are less, it takes all CPUs to
// come in pairs, and several of them, to tell it from chance.
constexpr double kPairRatio = 1.6;

void DropWeakPairs(std::vector<Found>& groups, std::size_t cpus) {
  constexpr std::size_t kFewestCpus = 6;
  const auto is_pair = [](const Found& group) { return group.members.size() == 2; };
  const auto pairs = static_cast<std::size_t>(std::ranges::count_if(groups, is_pair));
  if (cpus >= kFewestCpus && 2 * pairs == cpus) return;
  std::erase_if(groups, [](const Found& group) { return group.weak; });
}

std::vector<Found> CloseGroups(const CoreMatrix& matrix) {
  const std::size_t count = matrix.cpus.size();
  const auto merges = statistics::Cluster(
      count, [&matrix](std::size_t i, std::size_t j) { return Between(matrix.nanoseconds, i, j); });
  std::vector<Found> groups;
  for (Cluster& cluster : Clusters(count, merges)) {
    if (!std::isfinite(cluster.next_distance) ||
        cluster.next_distance < kLevelRatio * cluster.distance) {
      continue;
    }
    // All but one: that one is odd, and its own finding.
    if (cluster.members.size() >= 4 && cluster.members.size() + 1 == count) continue;
    Contrast contrast = Compare(matrix, cluster.members);
    if (!IsGroup(contrast, kLevelRatio)) continue;
    Found group = {.members = std::move(cluster.members), .nanoseconds = Median(contrast.within)};
    group.weak = group.members.size() == 2 && !IsGroup(contrast, kPairRatio);
    groups.push_back(std::move(group));
  }
  DropWeakPairs(groups, count);
  return groups;
}

// Within a group, too, all CPUs but one are no level.
void DropAllButOne(std::vector<Found>& groups) {
  std::erase_if(groups, [&groups](const Found& group) {
    return group.members.size() >= 4 && std::ranges::any_of(groups, [&](const Found& other) {
             return other.members.size() == group.members.size() + 1 &&
                    std::ranges::includes(other.members, group.members);
           });
  });
}

// ---- The same distances to all others

// How much the distances of two CPUs to all others differ: root of the mean square of logarithms.
// The other thread of either's core is left out: it says nothing about the way to the rest.
double Unlikeness(const PairMatrix& values, std::size_t i, std::size_t j) {
  double squares = 0;
  int known = 0;
  for (std::size_t other = 0; other < values.size(); ++other) {
    if (other == i || other == j) continue;
    const double first = Between(values, i, other);
    const double second = Between(values, j, other);
    if (!(first > kSameCoreNs && second > kSameCoreNs)) continue;
    squares += std::pow(std::log(first / second), 2);
    ++known;
  }
  return known == 0 ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(squares / known);
}

double MedianWithin(const CoreMatrix& matrix, const Members& members) {
  std::vector<double> values;
  for (const std::size_t i : members) {
    for (const std::size_t j : members) {
      const double value = Between(matrix.nanoseconds, i, j);
      if (i < j && !std::isnan(value)) values.push_back(value);
    }
  }
  return values.empty() ? PairMatrix::kNone : Median(values);
}

// The CPUs of cores that have no second thread, on a machine where others do.
struct Kinds {
  Members threaded;
  Members others;
};

Kinds SplitKinds(const CoreMatrix& matrix, const std::vector<Found>& close) {
  Kinds kinds;
  for (std::size_t i = 0; i < matrix.cpus.size(); ++i) {
    const bool threaded = std::ranges::any_of(close, [i](const Found& group) {
      return group.nanoseconds <= kSameCoreNs && std::ranges::binary_search(group.members, i);
    });
    (threaded ? kinds.threaded : kinds.others).push_back(i);
  }
  // Those that closeness made a small group of are done.
  constexpr std::size_t kUsualClusterCpus = 4;
  std::erase_if(kinds.others, [&](std::size_t i) {
    return std::ranges::any_of(close, [&](const Found& group) {
      return group.members.size() <= kUsualClusterCpus &&
             std::ranges::binary_search(group.members, i);
    });
  });
  return kinds;
}

double MedianUnlikeness(const CoreMatrix& matrix, const Members& left, const Members& right) {
  std::vector<double> values;
  for (const std::size_t i : left) {
    for (const std::size_t j : right) {
      const double value = i == j ? PairMatrix::kNone : Unlikeness(matrix.nanoseconds, i, j);
      if (!std::isnan(value)) values.push_back(value);
    }
  }
  return values.empty() ? PairMatrix::kNone : Median(values);
}

// Where some cores have several threads and others have none, the others may be cores of another
// kind, and come in clusters. Those share their way to the rest of the machine, so their CPUs have
// the same distances to it, whatever they have among themselves. Clusters of one size that differ
// from each other at least twice as much as their CPUs do are groups; so are all of the others
// together when they differ that much from the rest.
std::vector<Found> LikeGroups(const CoreMatrix& matrix, const std::vector<Found>& close) {
  constexpr std::size_t kMinCpusOfAKind = 4;
  constexpr double kUnlikeRatio = 2;
  const auto [threaded, others] = SplitKinds(matrix, close);
  // A core or two may have lost a thread to a disturbance or to the administrator.
  if (threaded.size() < kMinCpusOfAKind || others.size() < kMinCpusOfAKind) return {};

  const auto merges = statistics::Cluster(others.size(), [&](std::size_t i, std::size_t j) {
    return Unlikeness(matrix.nanoseconds, others[i], others[j]);
  });
  std::vector<Found> groups;
  for (Cluster& cluster : Clusters(others.size(), merges)) {
    if (!(cluster.next_distance >= kUnlikeRatio * cluster.distance)) continue;
    for (std::size_t& member : cluster.members) member = others[member];
    groups.push_back({cluster.members, MedianWithin(matrix, cluster.members)});
  }
  // The largest that are all of one size and leave nothing over.
  std::vector<Found> best;
  for (const Found& candidate : groups) {
    std::vector<Found> same;
    std::ranges::copy_if(groups, std::back_inserter(same), [&](const Found& group) {
      return group.members.size() == candidate.members.size();
    });
    const bool covers = same.size() * candidate.members.size() == others.size();
    if (covers && (best.empty() || candidate.members.size() > best.front().members.size())) {
      best = same;
    }
  }
  if (best.empty() && MedianUnlikeness(matrix, others, threaded) >=
                          kUnlikeRatio * MedianUnlikeness(matrix, others, others)) {
    best = {{others, MedianWithin(matrix, others)}};
  }
  std::erase_if(best, [&close](const Found& group) {
    return std::ranges::find(close, group.members, &Found::members) != close.end();
  });
  return best;
}

// ---- Levels, and what they leave over

bool Contains(const Found& outer, const Found& inner) {
  return outer.members.size() > inner.members.size() &&
         std::ranges::includes(outer.members, inner.members);
}

// A group's level is how many levels of groups it holds. Groups that hold none are the tightest
// level where they are about as close as the closest; else they stand beside the level above it,
// like clusters of cores beside cores of two threads.
void AssignLevels(std::vector<Found>& groups) {
  constexpr double kSameLevelRatio = 1.6;
  std::ranges::stable_sort(groups, {}, [](const Found& group) { return group.members.size(); });
  double closest = std::numeric_limits<double>::infinity();
  for (const Found& group : groups) closest = std::fmin(closest, group.nanoseconds);
  for (Found& group : groups) {
    group.level = group.nanoseconds > kSameLevelRatio * closest ? 1 : 0;
    for (const Found& inner : groups) {
      if (Contains(group, inner)) group.level = std::max(group.level, inner.level + 1);
    }
  }
  // Where all stand above the tightest, there is no such level below them.
  std::vector<int> levels;
  for (const Found& group : groups) levels.push_back(group.level);
  std::ranges::sort(levels);
  const auto repeated = std::ranges::unique(levels);
  levels.erase(repeated.begin(), repeated.end());
  for (Found& group : groups) {
    group.level = static_cast<int>(std::ranges::lower_bound(levels, group.level) - levels.begin());
  }
}

// The difference of the two CPUs' numbers that all pairs of a level have in common.
std::optional<std::size_t> CommonStep(const std::vector<const Found*>& pairs) {
  const auto step = [](const Found& pair) { return pair.members[1] - pair.members[0]; };
  for (const Found* pair : pairs) {
    if (step(*pair) != step(*pairs.front())) return std::nullopt;
  }
  return step(*pairs.front());
}

// What groups of one size leave over is one more of them when it has their size, and holds whole
// groups of the level below as they do: one die may have a slow way between its two halves, as if
// they were dies of their own. A core of two threads is added only when its numbers are as far
// apart as those of all others.
void AddWhatIsLeft(const CoreMatrix& matrix, std::vector<Found>& groups) {
  const int levels = groups.empty() ? 0 : std::ranges::max(groups, {}, &Found::level).level + 1;
  std::vector<Found> added;
  for (int level = 0; level < levels; ++level) {
    std::vector<const Found*> same;
    std::vector<bool> covered(matrix.cpus.size(), false);
    for (const Found& group : groups) {
      if (group.level != level) continue;
      same.push_back(&group);
      for (const std::size_t member : group.members) covered[member] = true;
    }
    if (same.empty()) continue;
    Found left;
    left.level = level;
    for (std::size_t i = 0; i < covered.size(); ++i) {
      if (!covered[i]) left.members.push_back(i);
    }
    const bool alike = std::ranges::all_of(
        same, [&left](const Found* group) { return group->members.size() == left.members.size(); });
    if (!alike) continue;
    if (level == 0) {
      constexpr std::size_t kFewestToKnowThePattern = 3;
      if (left.members.size() != 2 || same.size() < kFewestToKnowThePattern) continue;
      if (CommonStep(same) != left.members[1] - left.members[0]) continue;
    }
    const auto whole_parts = [&groups](const Found& group) {
      return std::ranges::count_if(groups, [&](const Found& inner) {
        return inner.level + 1 == group.level && Contains(group, inner);
      });
    };
    if (whole_parts(left) != whole_parts(*same.front())) continue;
    left.nanoseconds = MedianWithin(matrix, left.members);
    added.push_back(std::move(left));
  }
  groups.insert(groups.end(), added.begin(), added.end());
}

// ---- Names

struct Word {
  std::string_view name;
  std::optional<int> CpuPlace::* index;
};

// Where one set of CPUs has several words, the first that fits is the plainest.
constexpr std::array<Word, 7> kWords = {{{"core", &CpuPlace::core},
                                         {"package", &CpuPlace::package},
                                         {"die", &CpuPlace::die},
                                         {"NUMA node", &CpuPlace::numa},
                                         {"L3", &CpuPlace::l3},
                                         {"cluster", &CpuPlace::cluster},
                                         {"L2", &CpuPlace::l2}}};

// The topology's name for exactly these CPUs among those measured.
std::optional<std::string> TopologyName(std::span<const int> cpus, std::span<const int> measured,
                                        std::span<const CpuPlace> topology) {
  const auto place_of = [topology](int cpu) {
    const auto place = std::ranges::lower_bound(topology, cpu, {}, &CpuPlace::cpu);
    return place != topology.end() && place->cpu == cpu ? &*place : nullptr;
  };
  const CpuPlace* first = place_of(cpus.front());
  if (first == nullptr) return std::nullopt;
  for (const Word& word : kWords) {
    const std::optional<int> index = first->*word.index;
    if (!index) continue;
    std::vector<int> same;
    for (const int cpu : measured) {
      const CpuPlace* place = place_of(cpu);
      if (place != nullptr && place->*word.index == index) same.push_back(cpu);
    }
    if (std::ranges::equal(same, cpus)) return fmt::format("{} {}", word.name, *index);
  }
  return std::nullopt;
}

// A, B, ..., Z, AA, AB, ...
std::string Letters(std::size_t number) {
  std::string letters;
  for (std::size_t rest = number + 1; rest > 0; rest = (rest - 1) / 26) {
    letters.insert(letters.begin(), static_cast<char>('A' + (rest - 1) % 26));
  }
  return letters;
}

}  // namespace

std::size_t RowOf(const CoreMatrix& matrix, int cpu) {
  return static_cast<std::size_t>(std::ranges::lower_bound(matrix.cpus, cpu) - matrix.cpus.begin());
}

std::vector<CoreGroup> FindGroups(const CoreMatrix& matrix, std::span<const CpuPlace> topology) {
  if (matrix.cpus.size() < 3) return {};
  std::vector<Found> found = CloseGroups(matrix);
  DropAllButOne(found);
  for (Found& group : LikeGroups(matrix, found)) found.push_back(std::move(group));
  AssignLevels(found);
  AddWhatIsLeft(matrix, found);
  std::ranges::sort(
      found, {}, [](const Found& group) { return std::pair(group.level, group.members.front()); });

  std::vector<CoreGroup> groups;
  std::size_t unnamed = 0;
  for (const Found& one : found) {
    CoreGroup& group = groups.emplace_back();
    for (const std::size_t member : one.members) group.cpus.push_back(matrix.cpus[member]);
    group.level = one.level;
    group.nanoseconds = one.nanoseconds;
    const auto name = TopologyName(group.cpus, matrix.cpus, topology);
    group.in_topology = name.has_value();
    group.name = name ? *name : "group " + Letters(unnamed++);
  }
  return groups;
}

}  // namespace cyclescope::statistics
