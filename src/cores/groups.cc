#include "cores/groups.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>

#include "cores/dendrogram.h"
#include "measure/statistics.h"

namespace cyclescope::cores {
namespace {

using Members = std::vector<std::size_t>;  // positions in CoreMatrix::cpus, ascending

// Clusters as they are after some merges: every item knows its cluster's smallest member.
class Partition {
 public:
  explicit Partition(std::size_t count) : parents_(count) {
    std::iota(parents_.begin(), parents_.end(), std::size_t{0});
  }

  void Join(const Merge& merge) {
    const std::size_t left = Root(merge.left);
    const std::size_t right = Root(merge.right);
    parents_[std::max(left, right)] = std::min(left, right);
  }

  std::vector<Members> Clusters() const {
    std::vector<Members> by_root(parents_.size());
    for (std::size_t item = 0; item < parents_.size(); ++item) by_root[Root(item)].push_back(item);
    std::erase_if(by_root, [](const Members& members) { return members.empty(); });
    return by_root;
  }

 private:
  std::size_t Root(std::size_t item) const {
    while (parents_[item] != item) item = parents_[item];
    return item;
  }

  std::vector<std::size_t> parents_;
};

// The smaller of both directions, or the one there is: a disturbance only ever adds to a latency.
double Between(const PairMatrix& values, std::size_t i, std::size_t j) {
  return std::fmin(values.At(i, j), values.At(j, i));  // which ignores NaN
}

// What a cluster's pairs look like from within and to the outside.
struct Contrast {
  std::vector<double> within;
  std::vector<double> within_high;
  std::vector<double> outward;
  std::vector<double> outward_low;
};

Contrast Compare(const CoreMatrix& matrix, const Members& members) {
  std::vector<bool> inside(matrix.cpus.size(), false);
  for (const std::size_t member : members) inside[member] = true;
  Contrast contrast;
  for (const std::size_t member : members) {
    for (std::size_t other = 0; other < matrix.cpus.size(); ++other) {
      if (other == member || (inside[other] && other < member)) continue;
      const double value = Between(matrix.nanoseconds, member, other);
      if (std::isnan(value)) continue;
      if (inside[other]) {
        contrast.within.push_back(value);
        contrast.within_high.push_back(Between(matrix.high, member, other));
      } else {
        contrast.outward.push_back(value);
        contrast.outward_low.push_back(Between(matrix.low, member, other));
      }
    }
  }
  return contrast;
}

double ShareBelow(std::span<const double> values, double limit) {
  const auto below = std::ranges::count_if(values, [limit](double v) { return v < limit; });
  return static_cast<double>(below) / static_cast<double>(values.size());
}

// A cluster is a group when nearly all of its pairs are on this side of the cut and nearly all that
// lead out of it on the other, and the measured intervals do not blur the difference.
bool IsGroup(const Contrast& contrast, double cut) {
  constexpr double kNearlyAll = 0.9;
  if (contrast.within.empty() || contrast.outward.empty()) return false;
  return ShareBelow(contrast.within, cut) >= kNearlyAll &&
         ShareBelow(contrast.outward, cut) <= 1 - kNearlyAll &&
         measure::Median(contrast.within_high) < measure::Median(contrast.outward_low);
}

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

std::vector<CoreGroup> FindGroups(const CoreMatrix& matrix, std::span<const CpuPlace> topology) {
  const std::size_t count = matrix.cpus.size();
  if (count < 3) return {};
  const auto merges = Cluster(
      count, [&matrix](std::size_t i, std::size_t j) { return Between(matrix.nanoseconds, i, j); });

  std::vector<CoreGroup> groups;
  Partition partition(count);
  int level = 0;
  std::size_t unnamed = 0;
  for (std::size_t i = 0; i + 1 < merges.size(); ++i) {
    partition.Join(merges[i]);
    const double here = merges[i].distance;
    const double next = merges[i + 1].distance;
    if (!std::isfinite(next) || next < kLevelRatio * here) continue;

    const std::size_t groups_before = groups.size();
    for (const Members& members : partition.Clusters()) {
      if (members.size() < 2 || members.size() == count) continue;
      const Contrast contrast = Compare(matrix, members);
      if (!IsGroup(contrast, std::sqrt(here * next))) continue;
      CoreGroup group;
      for (const std::size_t member : members) group.cpus.push_back(matrix.cpus[member]);
      // A group that is the same at two levels belongs to the tighter one.
      if (std::ranges::find(groups, group.cpus, &CoreGroup::cpus) != groups.end()) continue;
      group.level = level;
      group.nanoseconds = measure::Median(contrast.within);
      const auto name = TopologyName(group.cpus, matrix.cpus, topology);
      group.in_topology = name.has_value();
      group.name = name ? *name : "group " + Letters(unnamed++);
      groups.push_back(std::move(group));
    }
    if (groups.size() > groups_before) ++level;
  }
  return groups;
}

}  // namespace cyclescope::cores
