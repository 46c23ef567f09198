// `cyclescope cores`: latency between every pair of CPUs, and what it tells about the machine.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
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
  kDrift,          // all pairs became slower or faster during the run
  kParallelBias,   // pairs measured at once differ from pairs alone
  kFloating,       // virtual CPUs move between cores
};

// What was found, as figures; `report` makes the words. A figure is unset where the kind has none.
struct CoreFinding {
  FindingKind kind = FindingKind::kOutlier;
  std::vector<int> cpus;
  std::optional<double> nanoseconds;  // between these CPUs, in this direction
  std::optional<double> compared_ns;  // the other direction; what pairs like it take
  std::optional<double> least_ns;     // the range to all other CPUs
  std::optional<double> most_ns;
  std::optional<double>
      speed;  // of a loop that needs a whole core, while the other CPU runs it too
  std::optional<double> ratio;  // slowest time over fastest; at once over alone
  std::optional<double> share;  // of visits that found a pair on one core
  int pairs = 0;                // that this was seen on
  int more = 0;                 // further findings of the kind that are not listed
  std::string text;             // as version 0.1 worded it, in documents without figures
};

// What happened to the machine between the visits to a pair.
enum class Stability {
  kStable,
  kDrifting,  // all pairs changed together: frequency, load
  kFloating,  // pairs changed places: the host moves virtual CPUs
};

// One level of latency: a peak among the visits' values.
struct CoreLevel {
  std::string name;        // "same core", "same die", ..., as far as the gaps between levels say
  double nanoseconds = 0;  // at the peak
  double low = 0;          // nine tenths of its visits lie between low and high
  double high = 0;
  double share = 0;  // of all visits
};

// How often visits took how long, on a logarithmic scale, and the levels in it. Where visits are
// not known, it is of the pairs' values.
struct CoreSpectrum {
  double first_ns = 0;  // where the first bar begins
  double step = 0;      // each bar ends at this many times its beginning; 0: no spectrum
  std::vector<int> counts;
  std::vector<CoreLevel> levels;  // ascending
};

// A level between which pairs move.
struct FloatingLevel {
  double nanoseconds = 0;
  double share = 0;                    // of all visits
  std::optional<double> residence_ms;  // how long a pair stays; unset where none was seen to leave
};

// Virtual CPUs that move. The matrix then shows each pair's median over its visits.
struct CoreFloating {
  std::optional<double> residence_ms;  // how long a pair stays as it is; unset where none moved
                                       // while it was followed
  double followed_ms = 0;              // how long pairs were followed, in sum
  std::vector<FloatingLevel> levels;   // ascending
  std::vector<PairMatrix> visits;      // one way, in ns: a matrix for each round
};

// One pair's visits, as an example of whether the machine changed.
struct CoreCanary {
  int first = 0;
  int second = 0;
  int checks = 0;  // visits after the first; 0: the run was too short for a second look
  double least_ns = 0;
  double most_ns = 0;
  double expected_ns = 0;  // how far chance alone takes least and most apart
};

// Pairs measured at once, compared with a random sample of the same pairs measured alone.
struct ParallelCheck {
  int pairs = 0;     // 0: nothing was measured at once
  double ratio = 0;  // median of at once over alone
};

struct CoreMatrix {
  std::string test;         // "cas", "two-lines", ...
  std::string instruction;  // what goes back and forth: "cas", "lock cmpxchg"
  std::vector<int> cpus;    // rows and columns, ascending
  int rounds = 0;           // visits to each pair; 0: not known
  PairMatrix nanoseconds;   // one way; row is the CPU that starts
  PairMatrix low;           // the interval, from between the visits
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
  std::optional<Stability> stability;  // unset where visits are not known
  std::optional<CoreFloating> floating;
  CoreSpectrum spectrum;
  std::vector<CoreGroup> groups;
  std::vector<CoreFinding> findings;
};

}  // namespace cyclescope
