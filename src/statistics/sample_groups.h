// Samples in groups that lie apart in time, and the value with its interval that follows from them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cyclescope/result/estimate.h"
#include "cyclescope/result/memory.h"

namespace cyclescope::statistics {

// What every value is uncertain by, as a share, however well its samples agree: the reference
// itself, and what fetching and looping cost that the difference of two lengths does not remove.
// Chosen by the recorded machine (replay_test.cc): values whose visits agreed best were off by 0.1
// to 0.26 % there.
inline constexpr double kSystematicDoubt = 0.0025;

// And beside a neighbour, which slows the code and the reference by different amounts.
inline constexpr double kContendedDoubt = 0.03;

// With fewer visits than this there is no interval.
inline constexpr std::size_t kFewestVisits = 3;

// Samples of anything, in groups that lie apart in time.
struct SampleGroups {
  std::vector<std::span<const double>> groups;
  int rejected = 0;        // samples that were dropped
  bool contended = false;  // another thread shared the core
};

// The median of all samples with the interval that follows from them alone.
Estimate PoolGroups(const SampleGroups& samples, double confidence, int contenders);

// The median and its interval, which comes from between the groups as well as from within them. The
// best of several is too good by chance, so its interval is wider: `contenders` is how many were
// that good. At least one group.
Estimate EstimateOf(const SampleGroups& samples, double confidence, int contenders = 1);

// The value that `memory` reports: the median. At least one sample, and samples that know nothing
// of each other: one of each visit. `doubt` is the share of the value that its interval reaches
// further to both sides.
MemoryValue ValueOf(const std::vector<double>& values, double confidence, double doubt = 0);

// The standard error of a value of `samples` samples, for what is decided by it. A sample that
// something slowed down widens the upper side alone where there are many, so that the narrower side
// tells.
double ErrorOf(const MemoryValue& value, int samples, double confidence = 0.95);

}  // namespace cyclescope::statistics
