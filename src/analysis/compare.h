// What differs between results: the same value, measured on two machines, two firmware versions,
// two days.
//
//   Comparison comparison = Compare(documents, {});
//   if (comparison.HasRegression()) ...
//
// Whether a value changed is judged from the intervals of both measurements, never from the centres
// alone. The first document is the one that all others are compared with.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cyclescope/result/document.h"
#include "cyclescope/result/names.h"

namespace cyclescope {

enum class ValueKind {
  kFrequency,
  kCores,
  kLatency,
  kThroughput,
  kBlock,
  kCacheLatency,  // of the caches that run at the core's clock
  kLadder,        // of what lies behind them
  kCapacity,
  kWindow
};

inline constexpr std::array kValueKinds = {
    ValueKind::kFrequency,  ValueKind::kCores,    ValueKind::kLatency,
    ValueKind::kThroughput, ValueKind::kBlock,    ValueKind::kCacheLatency,
    ValueKind::kLadder,     ValueKind::kCapacity, ValueKind::kWindow};

constexpr auto NamesOf(ValueKind) {
  return Names("frequency", "cores", "latency", "throughput", "blocks", "cache latency", "memory",
               "caches", "windows");
}
std::string_view UnitOf(ValueKind kind);  // "GHz", "ns", "cycles", "KB", "entries"
// For a clock, a cache and a window, less is worse.
bool IsMoreBetter(ValueKind kind);

enum class Verdict {
  kChanged,      // by at least the threshold, and the intervals lie apart
  kSame,         // the intervals exclude a change as large as the threshold, or all is equal
  kCannotTell,   // the intervals are too wide for either, there is none, or a value is not sound
  kOnlyInFirst,  // the other document has no such value
  kOnlyInOther,  // the first document has no such value
  kInNeither,    // a third document has it
};

constexpr auto NamesOf(Verdict) {
  return Names("changed", "same", "cannot tell", "only in first", "only in other", "in neither");
}

// One document's value.
struct ComparedEstimate {
  double value = 0;
  double low = 0;  // NaN, as high, where the document gives no interval
  double high = 0;
  // Why nothing can be concluded from it, where nothing can: disturbed, an upper bound, ...
  std::optional<ClaimCode> doubt;
  bool bound = false;     // it is that of `high` or less
  bool at_least = false;  // it is that of `low` or more
  // The part of the interval, to each side, that does not come from chance: more visits would not
  // make it smaller.
  double systematic = 0;
  // The degrees of freedom of the part that comes from chance.
  double degrees = 1;
  std::vector<double> states = {};  // where the same code has several steady values
};

// One value of another document against that of the first.
struct Change {
  Verdict verdict = Verdict::kInNeither;
  // NaN, as low, high and relative, unless both documents have a value, and of two that differ
  // where one is a bound.
  double difference = 0;
  double low = 0;  // the interval of the difference; NaN where a document gives none
  double high = 0;
  double relative = 0;         // difference over the first document's value
  bool worse = false;          // changed, to the worse side: slower, or smaller
  std::optional<Claim> claim;  // why it cannot be told, where it cannot
  std::string reason;          // the sentence of that claim
};

struct ComparedValue {
  std::string name;  // "CPU 3", "cas 0 to 5", "madd x0, x1, x2, x3: x1 to x0"
  std::vector<std::optional<ComparedEstimate>> estimates;  // one per document
  std::vector<Change> changes;                             // one per document but the first
};

// How many values of a kind ended with which verdict, in one document against the first.
struct ChangeCounts {
  std::size_t changed = 0;
  std::size_t worse = 0;  // of those changed
  std::size_t same = 0;
  std::size_t cannot_tell = 0;
  std::size_t only_in_first = 0;
  std::size_t only_in_other = 0;
  double median_relative = 0;  // of all values that both have; NaN when there is none
};

struct ComparedKind {
  ValueKind kind = ValueKind::kFrequency;
  double threshold = 0;               // relative
  std::vector<ChangeCounts> counts;   // one per document but the first
  std::vector<ComparedValue> values;  // changed first, largest relative change first
  std::size_t values_left_off = 0;    // by a report that cannot list all; counts include them
};

struct ComparedDocument {
  std::string label;   // "A", "B", ...
  std::string source;  // the file; may be empty
  std::string host;
  std::string cpu;  // as people call it
  std::string cpu_model;
  std::string cycle_source;
  std::string started;
};

struct Comparison {
  std::vector<ComparedDocument> documents;
  std::vector<Claim> claims;         // what makes the documents unequal to begin with
  std::vector<std::string> notices;  // the sentences of these claims, and the documents' warnings
  std::vector<ComparedKind> kinds;   // those that any document has values of

  // A value changed to the worse side. A core's frequency does not count: it is the state of the
  // machine at that time, not a property of what was built.
  bool HasRegression() const;
};

struct CompareOptions {
  // The smallest relative change of interest. Unset: 2 %; 5 % between cores and for memory, whose
  // values move by some 3 % from run to run on an idle machine; 25 % of what a cache holds.
  std::optional<double> threshold;
};

// "A" to "Z", then "A2", ...: more results than letters are unlikely, not impossible.
std::string DocumentLabel(std::size_t index);

// Needs two documents or more.
Comparison Compare(std::span<const Document> documents, const CompareOptions& options);

}  // namespace cyclescope
