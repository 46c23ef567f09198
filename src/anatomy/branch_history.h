// How far back a branch predictor looks: two branches by one random bit, with taken jumps between
// them. The first is mispredicted half of the time. So is the second, once the first is too far
// back to be remembered.
//
// The second branch's misses are a small part of the time of all the jumps, and times vary. So the
// step is where it explains all points best, and more points are measured wherever it might be.
// Pure: no clock, no code.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "anatomy/branch_targets.h"
#include "anatomy/explore_curve.h"

namespace cyclescope::anatomy {

class HistorySearch {
 public:
  explicit HistorySearch(const CurveRange& range) : range_(range) {}

  // The numbers of jumps to measure next; empty when it is done.
  std::vector<std::int64_t> Next();
  // `at` is the number of jumps, `value` the share of the second branch's misses that is not
  // predicted: 0 where it is known from the first, 1 where it is as random as that. Of one number
  // that was measured before, the median counts.
  void Add(const CurvePoint& point);

  std::vector<CurvePoint> points() const;
  // Unset where the points show no clear step from about 0 to about 1.
  std::optional<SizeReading> Read() const;

 private:
  // What was measured at one number of jumps.
  struct Tries {
    std::vector<double> values;
    double error = 0;  // of one of them
    bool shared = false;
  };
  CurveRange range_;
  std::map<std::int64_t, Tries> tries_;
  int rounds_ = 0;
};

}  // namespace cyclescope::anatomy
