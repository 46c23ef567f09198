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

#include "cyclescope/result/describe.h"
#include "cyclescope/result/names.h"

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

struct CoreGroup {
  std::string name;
  int level = 0;
  std::vector<int> cpus;
  double nanoseconds = 0;
  bool in_topology = false;
};

void Describe(auto& visit, Of<CoreGroup> auto& group) {
  visit.Struct("CoreGroup", "CPUs that are closer to each other than to the rest.");
  visit.Required(
      "name", group.name,
      "The topology's word (core 3, L3 0, package 1), or group A, ... where it has none.");
  visit.Required("level", group.level, "0 is the tightest.");
  visit.Required("cpus", group.cpus, "Its members.");
  visit.Always("nanoseconds", group.nanoseconds, "Typical between its members.");
  visit.Always("in_topology", group.in_topology, "The system lists it too.");
}

enum class FindingKind {
  kSharedCore,     // two CPUs share a core although the system says otherwise
  kSplitCore,      // two CPUs do not share a core although the system says so
  kHiddenCluster,  // CPUs are close to each other, the system does not say why
  kAsymmetry,      // one direction is slower
  kOutlier,        // a pair far off its group
  kDrift,          // the canary moved
  kParallelBias,   // pairs measured at once differ from pairs alone
};

constexpr auto NamesOf(FindingKind) {
  return Names("shared-core", "split-core", "hidden-cluster", "asymmetry", "outlier", "drift",
               "parallel-bias");
}

struct CoreFinding {
  FindingKind kind = FindingKind::kOutlier;
  std::vector<int> cpus;
  std::string text;
};

void Describe(auto& visit, Of<CoreFinding> auto& finding) {
  visit.Struct("CoreFinding", "What the matrix tells that the system does not.");
  visit.Required("kind", finding.kind, "What contradicts.");
  visit.Always("cpus", finding.cpus, "Whom it is about.");
  visit.Required("text", finding.text, "One sentence.");
}

struct CoreCanary {
  int first = 0;
  int second = 0;
  int checks = 0;
  double least_ns = 0;
  double most_ns = 0;
  double expected_ns = 0;
};

void Describe(auto& visit, Of<CoreCanary> auto& canary) {
  visit.Struct("CoreCanary",
               "One pair that was measured again and again during the run, to see whether the "
               "machine changed.");
  visit.Required("first", canary.first, "The CPU that starts.");
  visit.Required("second", canary.second, "The CPU that answers.");
  visit.Required("checks", canary.checks, "How often it was measured again.");
  visit.Required("least_ns", canary.least_ns, "The least of all its values.");
  visit.Required("most_ns", canary.most_ns, "The most.");
  visit.Always("expected_ns", canary.expected_ns, "How far chance alone takes them apart.");
}

struct ParallelCheck {
  int pairs = 0;
  double ratio = 0;
};

void Describe(auto& visit, Of<ParallelCheck> auto& check) {
  visit.Struct("ParallelCheck",
               "Pairs measured at once, compared with a random sample of them measured alone.");
  visit.Required("pairs", check.pairs, "How many were compared.");
  visit.Required("ratio", check.ratio, "Median of at once over alone.");
}

struct CoreMatrix {
  std::string test;
  std::string instruction;
  std::vector<int> cpus;  // ascending
  PairMatrix nanoseconds;
  PairMatrix low;
  PairMatrix high;
  PairMatrix spread_within;
  PairMatrix spread_between;
  PairMatrix clock_offset;
  std::vector<std::pair<int, int>> disturbed;
  std::vector<std::pair<int, int>> timed_out;
  std::int64_t batches_kept = 0;
  std::int64_t batches_rejected = 0;
  bool partial = false;
  std::uint64_t seed = 0;
  std::optional<CoreCanary> canary;
  std::optional<ParallelCheck> parallel;
  std::vector<CoreGroup> groups;
  std::vector<CoreFinding> findings;
};

void Describe(auto& visit, Of<CoreMatrix> auto& cores) {
  visit.Struct("CoreMatrix", "Latency between every pair of CPUs, by one test.");
  visit.Required("test", cores.test, "cas, exchange, add, store, two-lines or message.");
  visit.Always("instruction", cores.instruction, "What goes back and forth: lock cmpxchg, ...");
  visit.Required("cpus", cores.cpus, "The CPUs of rows and columns, in their order.");
  visit.Optional("partial", cores.partial, "Interrupted: pairs not reached are null.");
  visit.Optional("disturbed", cores.disturbed, "Pairs measured under disturbance.");
  visit.Optional("timed_out", cores.timed_out, "Pairs that did not answer in time.");
  visit.Always("batches_kept", cores.batches_kept, "Batches behind the values.");
  visit.Always("batches_rejected", cores.batches_rejected, "Batches dropped as disturbed.");
  visit.Always("seed", cores.seed, "Of the shuffled pair order; up to 64 bits.");
  visit.Optional("canary", cores.canary, "Absent where the run was too short for a second look.");
  visit.Optional("parallel", cores.parallel, "Absent where nothing was measured at once.");
  visit.Always("groups", cores.groups, "CPUs that are close to each other.");
  visit.Always("findings", cores.findings, "What contradicts the topology.");
  visit.Required("nanoseconds", cores.nanoseconds,
                 "One way, half a round trip. A row is the CPU that starts, a column the CPU that "
                 "answers; null where nothing was measured.");
  visit.Optional("low", cores.low, "Lower ends of the intervals.");
  visit.Optional("high", cores.high, "Upper ends of the intervals.");
  visit.Optional("spread_within", cores.spread_within,
                 "Within a cache line: the middle range of its batches, in nanoseconds.");
  visit.Optional("spread_between", cores.spread_between,
                 "Between cache lines: the middle half of them, in nanoseconds.");
  visit.Optional("clock_offset", cores.clock_offset,
                 "Of the column's CPU against the row's, in nanoseconds; only for `message`.");
}

}  // namespace cyclescope
