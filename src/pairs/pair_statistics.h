// From the lines of one pair to its value, interval and spreads.
//
// Lines differ more than anything else, and fall into modes (their home slices), so the value is a
// trimmed mean across lines: a median would jump from mode to mode. As lines are drawn at random,
// the interval says where another run's value, with other lines, would lie.
#pragma once

#include <cstdint>
#include <vector>

#include "pairs/line_source.h"
#include "statistics/statistics.h"

namespace cyclescope::pairs {

// The confidence of every interval of this layer.
inline constexpr double kConfidence = 0.95;

// The share of lines that the trimmed mean leaves out at each end. Lines in modes lie evenly rather
// than about a middle, and the more of them are cut, the less certain their mean is.
inline constexpr double kTrimmedShare = 0.05;

// A batch this much longer than the shortest on its line held something else: an interrupt, a
// stolen time slice. Undisturbed batches on one line differ by a few percent. The same goes for a
// visit among the others to its pair.
inline constexpr double kDisturbedRatio = 1.25;

// How many standard errors an interval of kConfidence reaches to each side (Student). Less than one
// degree of freedom is taken for one.
double HalfWidths(double degrees);

// The trimmed mean with what its interval needs: its standard error is that of the winsorized
// values, and Student's distribution has as many degrees of freedom as values were kept, less one
// (J. W. Tukey and D. H. McLaughlin, Sankhya A 25, 1963). It is the mean that must be close to
// normal, not the values: the central limit theorem sees to that from some twenty values on. Of
// eight values and more, one is cut at each end at least. At least two values.
statistics::Trimmed TrimmedMeanOf(std::vector<double> values, double share);

struct PairEstimate {
  double ns = 0;  // one way
  double median_ns = 0;
  double error_ns = 0;  // standard error of ns
  double low = 0;
  double high = 0;
  double spread_within = 0;   // median over lines of the range of a line's batches, ns
  double spread_between = 0;  // from the first to the third quartile of the lines, ns
  double offset_ns = 0;       // between the clocks; NaN unless the test can tell
  int lines = 0;
  bool disturbed = false;  // too little survived to trust the value
};

// Collects one pair's lines. What it holds grows with the lines of this pair only: clear it and use
// it for the next.
class PairStatistics {
 public:
  void Clear();
  void Add(const LineDraw& draw);

  int lines() const { return static_cast<int>(line_ns_.size()); }  // that survived
  std::int64_t batches_kept() const { return kept_; }
  std::int64_t batches_rejected() const { return rejected_; }

  // The value is `disturbed` when less than half of `lines_wanted` or of the batches survived.
  // Needs two lines.
  PairEstimate Estimate(int lines_wanted) const;

 private:
  std::vector<double> line_ns_;
  std::vector<double> line_range_;
  std::vector<double> line_offset_;
  std::int64_t kept_ = 0;
  std::int64_t rejected_ = 0;
};

}  // namespace cyclescope::pairs
