// In which order the pairs are measured: shuffled, so that a slow change of the machine does not
// look like a difference between pairs.
#pragma once

#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "cores/line_source.h"
#include "os/cpus.h"

namespace cyclescope::cores {

// Rounds of pairs. The pairs of a round are disjoint, so that they can be measured at once;
// together the rounds hold every ordered pair once.
class Schedule {
 public:
  // A round for each ordered pair.
  static Schedule OneByOne(const os::CpuList& cpus, std::mt19937_64& random);

  // As few rounds as there can be: every CPU is in one pair of each (of all but one, when their
  // number is odd).
  static Schedule AllAtOnce(const os::CpuList& cpus, std::mt19937_64& random);

  std::size_t rounds() const { return round_ends_.size(); }
  std::size_t pairs() const { return pairs_.size(); }
  std::span<const CpuPair> Round(std::size_t round) const;

 private:
  std::vector<CpuPair> pairs_;
  std::vector<std::size_t> round_ends_;
};

}  // namespace cyclescope::cores
