// `cyclescope cores`: latency between every pair of CPUs, and what it tells about the machine.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace cyclescope {

// A square of values, one per ordered pair; NaN where there is none (the diagonal, pairs not
// measured).
class PairMatrix {
 public:
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  PairMatrix() = default;
  explicit PairMatrix(std::size_t size) : size_(size), values_(size * size, kNone) {}

  std::size_t size() const { return size_; }
  double& At(std::size_t row, std::size_t column) { return values_[row * size_ + column]; }
  double At(std::size_t row, std::size_t column) const { return values_[row * size_ + column]; }
  // Of a matrix that may have been left out as a whole.
  double AtOrNone(std::size_t row, std::size_t column) const {
    return size_ == 0 ? kNone : At(row, column);
  }
  bool Has(std::size_t row, std::size_t column) const { return !std::isnan(At(row, column)); }

 private:
  std::size_t size_ = 0;
  std::vector<double> values_;
};

// CPUs that are closer to each other than to the rest.
struct CoreGroup {
  std::string name;  // the topology's word ("core 3", "L3 0", "package 1") or "group A"
  int level = 0;     // 0 is the tightest
  std::vector<int> cpus;
  double nanoseconds = 0;  // typical between its members
  bool in_topology = false;
};

enum class FindingKind {
  kSharedCore,     // two CPUs share a core although the system says otherwise
  kSplitCore,      // two CPUs do not share a core although the system says so
  kHiddenCluster,  // CPUs are close to each other, the system does not say why
  kAsymmetry,      // one direction is slower
  kOutlier,        // a pair far off its group
  kDrift,          // the canary moved
  kParallelBias,   // pairs measured at once differ from pairs alone
};

struct CoreFinding {
  FindingKind kind = FindingKind::kOutlier;
  std::vector<int> cpus;
  std::string text;
};

// One pair that was measured again and again during the run, to see whether the machine changed.
struct CoreCanary {
  int first = 0;
  int second = 0;
  int checks = 0;  // 0: the run was too short for a second look
  double least_ns = 0;
  double most_ns = 0;
  double expected_ns = 0;  // how far chance alone takes least and most apart
};

// Pairs measured at once, held against a random sample of the same pairs measured alone.
struct ParallelCheck {
  int pairs = 0;     // 0: nothing was measured at once
  double ratio = 0;  // median of at once over alone
};

struct CoreMatrix {
  std::string test;         // "cas", "two-lines", ...
  std::string instruction;  // what goes back and forth: "cas", "lock cmpxchg"
  std::vector<int> cpus;    // rows and columns, ascending
  PairMatrix nanoseconds;   // one way; row is the CPU that starts
  PairMatrix low;
  PairMatrix high;
  PairMatrix spread_within;   // within a line: middle range of its batches, in nanoseconds
  PairMatrix spread_between;  // between lines: the middle half of them, in nanoseconds
  PairMatrix clock_offset;    // of the column's CPU against the row's, in nanoseconds; only for
                              // "message"
  std::vector<std::pair<int, int>> disturbed;  // pairs (by CPU) measured under disturbance
  std::vector<std::pair<int, int>> timed_out;  // pairs (by CPU) where one side did not answer
  std::int64_t batches_kept = 0;
  std::int64_t batches_rejected = 0;
  bool partial = false;
  std::uint64_t seed = 0;
  CoreCanary canary;
  ParallelCheck parallel;
  std::vector<CoreGroup> groups;
  std::vector<CoreFinding> findings;
};

}  // namespace cyclescope
