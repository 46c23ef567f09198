#include "statistics/dendrogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cyclescope::statistics {
namespace {

// Mean distances between clusters, kept as sums and counts of known pairs, so that unknown ones
// weigh nothing. A cluster goes by the number of one of its members.
class Distances {
 public:
  Distances(std::size_t count, const std::function<double(std::size_t, std::size_t)>& distance)
      : count_(count), sums_(count * count), known_(count * count) {
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        if (i == j) continue;
        const double value = distance(i, j);
        if (std::isnan(value)) continue;
        sums_[i * count + j] = value;
        known_[i * count + j] = 1;
      }
    }
  }

  double Mean(std::size_t i, std::size_t j) const {
    const std::size_t at = i * count_ + j;
    return known_[at] == 0 ? std::numeric_limits<double>::infinity() : sums_[at] / known_[at];
  }

  void Absorb(std::size_t into, std::size_t gone) {
    for (std::size_t other = 0; other < count_; ++other) {
      if (other == into || other == gone) continue;
      sums_[into * count_ + other] += sums_[gone * count_ + other];
      known_[into * count_ + other] += known_[gone * count_ + other];
      sums_[other * count_ + into] = sums_[into * count_ + other];
      known_[other * count_ + into] = known_[into * count_ + other];
    }
  }

 private:
  std::size_t count_;
  std::vector<double> sums_;
  std::vector<int> known_;
};

}  // namespace

std::vector<Merge> Cluster(std::size_t count,
                           const std::function<double(std::size_t, std::size_t)>& distance) {
  Distances distances(count, distance);
  std::vector<bool> gone(count, false);
  std::vector<Merge> merges;
  std::vector<std::size_t> chain;
  while (merges.size() + 1 < count) {
    if (chain.empty()) {
      chain.push_back(static_cast<std::size_t>(std::ranges::find(gone, false) - gone.begin()));
    }
    const std::size_t last = chain.back();
    // The nearest; where several are equally near, the one before in the chain, so that it ends.
    std::size_t nearest = chain.size() > 1 ? chain[chain.size() - 2] : last;
    for (std::size_t other = 0; other < count; ++other) {
      if (gone[other] || other == last) continue;
      if (nearest == last || distances.Mean(last, other) < distances.Mean(last, nearest)) {
        nearest = other;
      }
    }
    if (chain.size() > 1 && nearest == chain[chain.size() - 2]) {
      merges.push_back({last, nearest, distances.Mean(last, nearest)});
      distances.Absorb(nearest, last);
      gone[last] = true;
      chain.resize(chain.size() - 2);
    } else {
      chain.push_back(nearest);
    }
  }
  std::ranges::stable_sort(merges, {}, &Merge::distance);
  return merges;
}

}  // namespace cyclescope::statistics
