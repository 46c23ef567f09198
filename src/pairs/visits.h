// The visits to every pair: what each found, round by round.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "cyclescope/result/cores.h"

namespace cyclescope::pairs {

// What one visit found in one direction.
struct DirectedVisit {
  float mean_ns = std::numeric_limits<float>::quiet_NaN();  // trimmed, over its lines
  float median_ns = 0;  // over its lines; of a visit during which a CPU moved, the longer stay
  float error_ns = 0;   // standard error of the mean, from within the visit
  float lines = 0;
  double time_ns = 0;  // of the source, when it began

  bool IsThere() const { return !std::isnan(mean_ns); }
};

class VisitTable {
 public:
  explicit VisitTable(std::size_t cpus) : cpus_(cpus) {}

  std::size_t cpus() const { return cpus_; }
  std::size_t rounds() const { return rounds_.size(); }

  void BeginRound() { rounds_.emplace_back(cpus_ * cpus_); }
  // The visit of the current round.
  DirectedVisit& At(std::size_t row, std::size_t column) {
    return rounds_.back()[row * cpus_ + column];
  }

  const DirectedVisit& At(std::size_t round, std::size_t row, std::size_t column) const {
    return rounds_[round][row * cpus_ + column];
  }

  // The visits to that pair, in order of time.
  std::vector<DirectedVisit> Of(std::size_t row, std::size_t column) const;

  // The median of a visit to a pair, over both directions; NaN where it was not made.
  double Both(std::size_t round, std::size_t row, std::size_t column) const;

  // The values of all visits to all pairs.
  std::vector<double> All() const;

 private:
  std::size_t cpus_;
  std::vector<std::vector<DirectedVisit>> rounds_;
};

// How the machine behaved between visits, and what says so.
struct StabilityVerdict {
  Stability stability = Stability::kStable;
  double drift_ratio = 1;      // the slowest time of the run over the fastest, over all pairs
  int pairs_moved = 0;         // between visits, by more than anything but another place explains
  double same_core_share = 0;  // of visits, to pairs that are apart otherwise
};

// Within a visit lines agree; whether visits do is what this tells. Pairs that all change together
// drift; pairs that change on their own, between levels and in either direction, float. A
// disturbance makes some visits longer, so those alone say nothing: it takes visits that are
// shorter than a pair's usual ones, or that find both CPUs on one core.
StabilityVerdict JudgeStability(const VisitTable& visits);

// A direction's value and interval on a machine whose CPUs stay: the mean of its visits by their
// lines, with the interval that follows from how visits differ. A few visits that are far above the
// others are left out; where more of them are, the interval holds the mean of all, too. Many are
// put together into a few stretches of time, since visits right after each other agree more than
// another run will. On a machine that drifts, another run meets another time, so the interval is
// that of a stretch, not of their mean. At least one visit.
struct VisitEstimate {
  double ns = 0;
  double low = 0;
  double high = 0;
};
VisitEstimate EstimateFromVisits(const std::vector<DirectedVisit>& visits, bool drifts = false);

}  // namespace cyclescope::pairs
