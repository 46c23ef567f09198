// In which order the pairs are visited in one round: shuffled, so that a slow change of the machine
// does not look like a difference between pairs.
#pragma once

#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "os/cpus.h"
#include "pairs/line_source.h"

namespace cyclescope::pairs {

// Every pair of CPUs once, either of the two first, in sets of disjoint pairs, which can be
// measured at once.
class Schedule {
 public:
  // A set for each pair.
  static Schedule OneByOne(const os::CpuList& cpus, std::mt19937_64& random);

  // As few sets as there can be: every CPU is in one pair of each (of all but one, when their
  // number is odd).
  static Schedule AllAtOnce(const os::CpuList& cpus, std::mt19937_64& random);

  std::size_t sets() const { return set_ends_.size(); }
  std::size_t pairs() const { return pairs_.size(); }
  std::span<const CpuPair> Set(std::size_t index) const;

 private:
  std::vector<CpuPair> pairs_;
  std::vector<std::size_t> set_ends_;
};

}  // namespace cyclescope::pairs
