// How long a pair of virtual CPUs stays as it is, from the times of one line that goes back and
// forth for seconds.
//
//   Residence residence(levels);
//   residence.Follow(batches);        // for each stretch without a gap
//   if (auto ms = residence.OverallMs()) ...
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "cyclescope/result/cores.h"

namespace cyclescope::cores {

struct FollowedBatch {
  double duration_ns = 0;
  double ns = 0;  // one way
};

class Residence {
 public:
  // The levels that stays are sorted into; at least one.
  explicit Residence(const CoreSpectrum& spectrum);

  // One line of one pair, batch after batch. The pair has moved when three batches in a row agree
  // on a value that is not the one before, by more than they differ otherwise.
  void Follow(std::span<const FollowedBatch> batches);

  double FollowedMs() const;
  // Time over changes, which is the mean of stays whether or not their ends were seen. Unset
  // without a change.
  std::optional<double> OverallMs() const;
  std::optional<double> LevelMs(std::size_t level) const;

 private:
  struct Stays {
    double time_ns = 0;
    int ends = 0;
  };

  void Record(double ns, double time_ns, bool ended);

  const CoreSpectrum& spectrum_;
  Stays all_;
  std::vector<Stays> by_level_;
};

}  // namespace cyclescope::cores
