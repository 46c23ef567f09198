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

#include "cyclescope/result/claim.h"
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
  // The value, of a matrix that may have been left out as a whole.
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
  kDrift,          // all pairs became slower or faster during the run
  kParallelBias,   // pairs measured at once differ from pairs alone
  kFloating,       // virtual CPUs move between cores
};

constexpr auto NamesOf(FindingKind) {
  return Names("shared-core", "split-core", "hidden-cluster", "asymmetry", "outlier", "drift",
               "parallel-bias", "floating");
}

// What was found, as figures; `report` makes the words.
struct CoreFinding {
  FindingKind kind = FindingKind::kOutlier;
  std::vector<int> cpus;
  std::optional<double> nanoseconds;
  std::optional<double> compared_ns;
  std::optional<double> least_ns;
  std::optional<double> most_ns;
  std::optional<double> speed;
  std::optional<double> ratio;
  std::optional<double> share;
  int pairs = 0;
  int more = 0;
  std::optional<Claim> claim;  // of a document that was read; `document` makes it from the figures
  std::string text;            // as version 0.1 worded it; what has figures is worded anew
};

void Describe(auto& visit, Of<CoreFinding> auto& finding) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("CoreFinding", "What the matrix tells that the system does not.");
  visit.Required("kind", finding.kind, "What contradicts.");
  visit.Always("cpus", finding.cpus, "Whom it is about.");
  visit.Optional("ns", finding.nanoseconds, "Between these CPUs, one way.", kNew);
  visit.Optional("compared_ns", finding.compared_ns,
                 "The other direction, or what pairs like it take.", kNew);
  visit.Optional("least_ns", finding.least_ns, "To all other CPUs, the least.", kNew);
  visit.Optional("most_ns", finding.most_ns, "To all other CPUs, the most.", kNew);
  visit.Optional("speed", finding.speed,
                 "Of a loop that needs a whole core, while the other CPU runs it too; 1 is alone.",
                 kNew);
  visit.Optional("ratio", finding.ratio,
                 "The slowest time of the run over the fastest; pairs at once over pairs alone.",
                 kNew);
  visit.Optional("share", finding.share, "Of visits that found a pair on one core.", kNew);
  visit.Optional("pairs", finding.pairs, "That this was seen on.", kNew);
  visit.Optional("more", finding.more, "Further findings of the kind that are not listed.", kNew);
  visit.Optional("claim", finding.claim, "The figures as a claim.", {.since = "0.3"});
  visit.Required("text", finding.text, "Its sentence.");
}

// What happened to the machine between the visits to a pair.
enum class Stability {
  kStable,
  kDrifting,  // all pairs changed together: frequency, load
  kFloating,  // pairs changed places: the host moves virtual CPUs
};

constexpr auto NamesOf(Stability) { return Names("stable", "drifting", "floating"); }

struct CoreLevel {
  std::string name;
  double nanoseconds = 0;
  double low = 0;
  double high = 0;
  double share = 0;

  bool operator==(const CoreLevel&) const = default;
};

void Describe(auto& visit, Of<CoreLevel> auto& level) {
  visit.Struct("CoreLevel", "A level of latency: a peak among the values of visits.");
  visit.Required("name", level.name,
                 "same core, same cluster or die, ...: by the groups, else by the gaps between "
                 "levels.");
  visit.Required("ns", level.nanoseconds, "At the peak.");
  visit.Always("low", level.low, "Nine tenths of its visits lie between this and high.");
  visit.Always("high", level.high, "See low.");
  visit.Required("share", level.share, "Of all visits, from 0 to 1.");
}

struct CoreSpectrum {
  double first_ns = 0;
  double step = 0;
  std::vector<std::int64_t> counts;  // empty: no spectrum
  std::vector<CoreLevel> levels;     // ascending

  bool operator==(const CoreSpectrum&) const = default;
};

void Describe(auto& visit, Of<CoreSpectrum> auto& spectrum) {
  visit.Struct("CoreSpectrum",
               "How often visits took how long, on a logarithmic scale; of the pairs where visits "
               "are not known.");
  visit.Required("first_ns", spectrum.first_ns, "Where the first bar begins.");
  visit.Required("step", spectrum.step, "The ratio of a bar's end to its beginning.");
  visit.Required("counts", spectrum.counts, "The last bar holds what lies beyond it, too.");
  visit.Required("levels", spectrum.levels, "From the nearest to the farthest.");
}

struct FloatingLevel {
  double nanoseconds = 0;
  double share = 0;
  std::optional<double> residence_ms;
};

void Describe(auto& visit, Of<FloatingLevel> auto& level) {
  visit.Struct("FloatingLevel", "A level between which pairs move.");
  visit.Required("ns", level.nanoseconds, "One way.");
  visit.Required("share", level.share, "Of all visits, from 0 to 1.");
  visit.Optional("residence_ms", level.residence_ms,
                 "How long a pair stays at it; absent where none was seen to leave.");
}

struct CoreFloating {
  std::optional<double> residence_ms;
  double followed_ms = 0;
  std::vector<FloatingLevel> levels;  // ascending
  std::vector<PairMatrix> visits;
};

void Describe(auto& visit, Of<CoreFloating> auto& floating) {
  visit.Struct("CoreFloating",
               "Virtual CPUs that the host moves between cores. The matrix then holds the medians "
               "of visits.");
  visit.Optional("residence_ms", floating.residence_ms,
                 "How long a pair stays as it is; absent where none moved while it was followed.");
  visit.Always("followed_ms", floating.followed_ms, "How long pairs were followed, in sum.");
  visit.Required("levels", floating.levels, "Between which pairs move.");
  visit.Optional("visits", floating.visits,
                 "What each round's visits found, one way, in nanoseconds.");
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
               "The visits to one pair, as an example of whether the machine changed.");
  visit.Required("first", canary.first, "The CPU that starts.");
  visit.Required("second", canary.second, "The CPU that answers.");
  visit.Required("checks", canary.checks, "Visits after the first.");
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
  int rounds = 0;         // 0: not known
  std::optional<Stability> stability;
  std::string structure;  // of a document that was read; `report` makes it from the groups
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
  CoreSpectrum spectrum;
  std::optional<CoreFloating> floating;
  std::vector<CoreGroup> groups;
  std::vector<CoreFinding> findings;
};

void Describe(auto& visit, Of<CoreMatrix> auto& cores) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("CoreMatrix", "Latency between every pair of CPUs, by one test.");
  visit.Required("test", cores.test, "cas, exchange, add, store, two-lines or message.");
  visit.Always("instruction", cores.instruction, "What goes back and forth: lock cmpxchg, ...");
  visit.Required("cpus", cores.cpus, "The CPUs of rows and columns, in their order.");
  visit.Optional("rounds", cores.rounds, "Visits to each pair.", kNew);
  visit.Optional("stability", cores.stability,
                 "Whether visits agree: all pairs changed together (drifting), or pairs changed "
                 "places (floating).",
                 kNew);
  visit.Optional("partial", cores.partial, "Interrupted: pairs not reached are null.");
  visit.Optional("disturbed", cores.disturbed, "Pairs measured under disturbance.");
  visit.Optional("timed_out", cores.timed_out, "Pairs that did not answer in time.");
  visit.Always("batches_kept", cores.batches_kept, "Batches behind the values.");
  visit.Always("batches_rejected", cores.batches_rejected, "Batches dropped as disturbed.");
  visit.Always("seed", cores.seed, "Of the shuffled pair order; up to 64 bits.");
  visit.Optional("canary", cores.canary, "Absent where the run was too short for a second look.");
  visit.Optional("parallel", cores.parallel, "Absent where nothing was measured at once.");
  visit.Optional("spectrum", cores.spectrum, "Levels of latency.", kNew);
  visit.Optional("floating", cores.floating, "Absent where virtual CPUs were not seen to move.",
                 kNew);
  visit.Always("groups", cores.groups, "CPUs that are close to each other.");
  visit.Always("findings", cores.findings, "What contradicts the topology.");
  visit.Required("nanoseconds", cores.nanoseconds,
                 "One way, half a round trip. A row is the CPU that starts, a column the CPU that "
                 "answers; null where nothing was measured.");
  visit.Optional("low", cores.low, "Lower ends of the intervals, which come from between visits.");
  visit.Optional("high", cores.high, "Upper ends of the intervals.");
  visit.Optional("spread_within", cores.spread_within,
                 "Within a cache line: the middle range of its batches, in nanoseconds.",
                 {.spread = true});
  visit.Optional("spread_between", cores.spread_between,
                 "Between cache lines: the interquartile range, in nanoseconds.", {.spread = true});
  visit.Optional("clock_offset", cores.clock_offset,
                 "Of the column's CPU against the row's, in nanoseconds; only for `message`.");
  visit.Optional("structure", cores.structure, "The groups in one sentence.", kNew);
}

}  // namespace cyclescope
