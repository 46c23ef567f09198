#include "analysis/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "analysis/claims.h"
#include "analysis/compare_values.h"
#include "analysis/host_words.h"
#include "statistics/statistics.h"

namespace cyclescope {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kDefaultThreshold = 0.02;
constexpr double kDefaultMovingThreshold = 0.05;
constexpr double kDefaultCapacityThreshold = 0.25;

// The chance of any false change in one comparison, over all its values.
constexpr double kChanceOfFalseChange = 0.01;

// Few visits say little about their scatter: three may agree to 0.01 % by chance. The scatter of
// the other values of a kind counts as this many degrees of freedom more (as in G. K. Smyth, 2004,
// "Linear models and empirical Bayes methods").
constexpr double kDegreesOfOthers = 4;

// The standard error that one side of an interval stands for, as a share of the value.
double ErrorOf(const ComparedEstimate& estimate, double side, double confidence) {
  return std::max(side - estimate.systematic, 0.0) /
         statistics::StudentQuantile((1 + confidence) / 2, estimate.degrees) /
         std::abs(estimate.value);
}

// How far the values of one document and kind may lie from the truth, all of them at once.
class SimultaneousIntervals {
 public:
  // `index` is the document's place in each of the values.
  SimultaneousIntervals(const std::vector<ComparedValue>& values, std::size_t index,
                        double confidence, double chance)
      : confidence_(confidence), chance_(chance) {
    std::vector<double> errors;
    for (const ComparedValue& value : values) {
      const auto& estimate = value.estimates[index];
      if (!estimate || estimate->doubt || std::isnan(estimate->low)) continue;
      // The longer side may stand for a tail.
      const double side =
          std::min(estimate->high - estimate->value, estimate->value - estimate->low);
      errors.push_back(ErrorOf(*estimate, side, confidence));
    }
    usual_error_ = errors.empty() ? 0 : statistics::Median(errors);
  }

  // The estimate with an interval that holds the truth but for that chance.
  ComparedEstimate Of(ComparedEstimate estimate) const {
    const double below = SideOf(estimate, estimate.value - estimate.low);
    const double above = SideOf(estimate, estimate.high - estimate.value);
    estimate.low = estimate.value - below;
    estimate.high = estimate.value + above;
    return estimate;
  }

 private:
  double SideOf(const ComparedEstimate& estimate, double side) const {
    const double own = ErrorOf(estimate, side, confidence_);
    const double degrees = estimate.degrees + kDegreesOfOthers;
    const double error = std::sqrt(
        (estimate.degrees * own * own + kDegreesOfOthers * usual_error_ * usual_error_) / degrees);
    const double chance = statistics::StudentQuantile(1 - chance_ / 2, degrees) * error;
    return std::max(side, estimate.systematic + chance * std::abs(estimate.value));
  }

  double confidence_;
  double chance_;
  double usual_error_ = 0;
};

// The difference of two estimates with its interval, from both intervals' sides that face each
// other (G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures",
// Statistics in Medicine 27, 2008): it needs neither normal nor symmetric intervals.
Change Difference(const ComparedEstimate& first, const ComparedEstimate& other) {
  Change change;
  change.difference = other.value - first.value;
  change.relative = change.difference / first.value;
  change.low = change.difference - std::hypot(other.value - other.low, first.high - first.value);
  change.high = change.difference + std::hypot(other.high - other.value, first.value - first.low);
  return change;
}

// To the last digit, as the same file twice.
bool AreEqual(const ComparedEstimate& first, const ComparedEstimate& other) {
  const auto equal = [](double one, double two) {
    return one == two || (std::isnan(one) && std::isnan(two));
  };
  return equal(first.value, other.value) && equal(first.low, other.low) &&
         equal(first.high, other.high);
}

bool Overlap(const ComparedEstimate& first, const ComparedEstimate& other) {
  return first.low <= other.high && other.low <= first.high;
}

// Of the two documents that are compared.
struct IntervalsOfBoth {
  const SimultaneousIntervals& first;
  const SimultaneousIntervals& other;
};

ComparedEstimate WithSystematic(ComparedEstimate estimate) {
  estimate.low = std::min(estimate.low, estimate.value - estimate.systematic);
  estimate.high = std::max(estimate.high, estimate.value + estimate.systematic);
  return estimate;
}

// One run may show a state of the code more often than another does.
bool IsStateOf(const ComparedEstimate& estimate, const ComparedEstimate& other, double threshold) {
  return std::ranges::any_of(other.states, [&](double state) {
    return std::abs(state - estimate.value) <= threshold * std::abs(estimate.value);
  });
}

Verdict Judge(const Change& change, const ComparedEstimate& first, const ComparedEstimate& other,
              double threshold, const IntervalsOfBoth& sure) {
  if (std::isnan(change.low) || std::isnan(change.high)) return Verdict::kCannotTell;
  if (IsStateOf(first, other, threshold) || IsStateOf(other, first, threshold))
    return Verdict::kSame;
  const double smallest = threshold * std::abs(first.value);
  const Change surely = Difference(sure.first.Of(first), sure.other.Of(other));
  const bool excludes_chance = surely.low > 0 || surely.high < 0;
  if (excludes_chance && !Overlap(first, other) && std::abs(change.difference) >= smallest)
    return Verdict::kChanged;
  const Change usual = Difference(WithSystematic(first), WithSystematic(other));
  if (usual.low > -smallest && usual.high < smallest) return Verdict::kSame;
  return Verdict::kCannotTell;
}

// Of a bound nothing is known but that the value is on one side of it: neither is the change.
bool IsOpen(const ComparedEstimate& first, const ComparedEstimate& other) {
  return first.bound || other.bound || first.at_least || other.at_least;
}

// Why Judge(), or a doubt about a value, leaves it open.
Claim WhyOpen(const Change& change, const ComparedEstimate& first, const ComparedEstimate& other,
              std::size_t other_index, double threshold, std::size_t values) {
  if (first.doubt) {
    Claim claim{*first.doubt, {{"document", DocumentLabel(0)}}};
    if (first.doubt == other.doubt) claim.figures.emplace_back("also", DocumentLabel(other_index));
    return claim;
  }
  if (other.doubt) return {*other.doubt, {{"document", DocumentLabel(other_index)}}};
  if (std::isnan(change.low) || std::isnan(change.high)) return {ClaimCode::kNoInterval, {}};
  if (Overlap(first, other)) return {ClaimCode::kIntervalsOverlap, {}};
  if (std::abs(change.difference) < threshold * std::abs(first.value))
    return {ClaimCode::kNearThreshold, {{"percent", 100 * threshold}}};
  for (const auto& [estimate, index] :
       {std::pair(&first, std::size_t{0}), std::pair(&other, other_index)}) {
    if (!estimate->states.empty())
      return {ClaimCode::kSeveralStates, {{"document", DocumentLabel(index)}}};
  }
  if (std::abs(change.difference) <= std::hypot(first.systematic, other.systematic))
    return {ClaimCode::kRunsDiffer, {}};
  return {ClaimCode::kChanceOfMany, {{"values", static_cast<double>(values)}}};
}

Change ChangeOf(ValueKind kind, const ComparedValue& value, std::size_t other_index,
                double threshold, const IntervalsOfBoth& sure, std::size_t values) {
  const std::optional<ComparedEstimate>& first = value.estimates[0];
  const std::optional<ComparedEstimate>& other = value.estimates[other_index];
  const Change unknown{.difference = kNone, .low = kNone, .high = kNone, .relative = kNone};
  if (!first || !other) {
    Change change = unknown;
    if (first) change.verdict = Verdict::kOnlyInFirst;
    if (other) change.verdict = Verdict::kOnlyInOther;
    return change;
  }
  const bool are_equal = AreEqual(*first, *other);
  Change change = !are_equal && IsOpen(*first, *other) ? unknown : Difference(*first, *other);
  if (are_equal) {
    change.verdict = Verdict::kSame;
  } else if (!first->doubt && !other->doubt) {
    change.verdict = Judge(change, *first, *other, threshold, sure);
  } else {
    change.verdict = Verdict::kCannotTell;
  }
  if (change.verdict == Verdict::kCannotTell) {
    change.claim = WhyOpen(change, *first, *other, other_index, threshold, values);
    change.reason = Sentence(*change.claim);
  }
  const bool to_worse = IsMoreBetter(kind) ? change.difference < 0 : change.difference > 0;
  change.worse = change.verdict == Verdict::kChanged && to_worse;
  return change;
}

ChangeCounts Count(const std::vector<ComparedValue>& values, std::size_t other) {
  ChangeCounts counts;
  std::vector<double> relative;
  for (const ComparedValue& value : values) {
    const Change& change = value.changes[other];
    counts.changed += change.verdict == Verdict::kChanged ? 1 : 0;
    counts.worse += change.worse ? 1 : 0;
    counts.same += change.verdict == Verdict::kSame ? 1 : 0;
    counts.cannot_tell += change.verdict == Verdict::kCannotTell ? 1 : 0;
    counts.only_in_first += change.verdict == Verdict::kOnlyInFirst ? 1 : 0;
    counts.only_in_other += change.verdict == Verdict::kOnlyInOther ? 1 : 0;
    if (std::isfinite(change.relative)) relative.push_back(change.relative);
  }
  counts.median_relative = relative.empty() ? kNone : statistics::Median(relative);
  return counts;
}

// How much a verdict is worth reading; the least number is the most.
int OrderOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kChanged:
      return 0;
    case Verdict::kOnlyInFirst:
      return 1;
    case Verdict::kOnlyInOther:
      return 2;
    case Verdict::kCannotTell:
      return 3;
    case Verdict::kSame:
      return 4;
    case Verdict::kInNeither:
      return 5;
  }
  std::unreachable();
}

// What stands first in a list: the verdict most worth reading, then the largest relative change, of
// any document.
std::pair<int, double> Rank(const ComparedValue& value) {
  std::pair<int, double> rank{OrderOf(Verdict::kInNeither), 0};
  for (const Change& change : value.changes) {
    const double size = std::isnan(change.relative) ? 0 : -std::abs(change.relative);
    rank = std::min(rank, {OrderOf(change.verdict), size});
  }
  return rank;
}

double DefaultThreshold(ValueKind kind) {
  if (kind == ValueKind::kCapacity) return kDefaultCapacityThreshold;
  const bool moves =
      kind == ValueKind::kCores || kind == ValueKind::kCacheLatency || kind == ValueKind::kLadder;
  return moves ? kDefaultMovingThreshold : kDefaultThreshold;
}

// Of one kind, still without changes.
ComparedKind GatherKind(ValueKind kind, std::span<const Document> documents,
                        const CompareOptions& options) {
  ComparedKind gathered;
  gathered.kind = kind;
  gathered.threshold = options.threshold.value_or(DefaultThreshold(kind));
  gathered.values = GatherValues(kind, documents);
  return gathered;
}

// `values` is how many are judged at once, of all kinds.
void FindChanges(std::span<const Document> documents, std::size_t values, ComparedKind& compared) {
  // Bonferroni; the chance that both intervals of a value miss is divided among the two.
  const double chance =
      kChanceOfFalseChange / static_cast<double>(std::max<std::size_t>(values, 1));
  const SimultaneousIntervals first(compared.values, 0, documents[0].config.confidence, chance);
  for (std::size_t other = 1; other < documents.size(); ++other) {
    const SimultaneousIntervals of_other(compared.values, other, documents[other].config.confidence,
                                         chance);
    for (ComparedValue& value : compared.values) {
      value.changes.push_back(
          ChangeOf(compared.kind, value, other, compared.threshold, {first, of_other}, values));
    }
    compared.counts.push_back(Count(compared.values, other - 1));
  }
  std::ranges::stable_sort(compared.values, {}, Rank);
}

// Says so when the documents do not agree about something. Those that do not know it are left out.
template <typename Get>
void NoteDifferent(std::span<const Document> documents, ClaimCode code, Get get,
                   std::vector<Claim>& claims) {
  std::set<std::string> distinct;
  std::string list;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const std::string value = get(documents[i]);
    if (value.empty()) continue;
    distinct.insert(value);
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", DocumentLabel(i), value);
  }
  if (distinct.size() < 2) return;
  claims.push_back({code, {{"which", list}}});
}

std::string AtomicInstructions(const Document& document) {
  std::set<std::string> distinct;
  for (const CoreMatrix& cores : document.cores) {
    if (!cores.instruction.empty()) distinct.insert(cores.test + " with " + cores.instruction);
  }
  return fmt::format("{}", fmt::join(distinct, " and "));
}

// Each document's warnings; one that several share is said once.
void NoteWarnings(std::span<const Document> documents, std::vector<std::string>& notices) {
  std::map<std::string, std::string> labels_by_message;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    for (const Warning& warning : documents[i].warnings) {
      std::string& labels = labels_by_message[warning.message];
      labels += labels.empty() ? DocumentLabel(i) : ", " + DocumentLabel(i);
    }
  }
  for (const auto& [message, labels] : labels_by_message) {
    notices.push_back(fmt::format("{}: {}", labels, message));
  }
}

std::vector<Claim> WhatDiffers(std::span<const Document> documents) {
  std::vector<Claim> claims;
  const auto note = [&](ClaimCode code, auto get) { NoteDifferent(documents, code, get, claims); };
  note(ClaimCode::kSchemasDiffer, [](const Document& d) { return d.schema; });
  note(ClaimCode::kArchitecturesDiffer, [](const Document& d) { return d.host.architecture; });
  note(ClaimCode::kCpusDiffer, [](const Document& d) { return CpuName(d.host); });
  note(ClaimCode::kCycleSourcesDiffer, [](const Document& d) { return d.clock.cycle_source; });
  note(ClaimCode::kVersionsDiffer, [](const Document& d) { return d.tool.version; });
  note(ClaimCode::kAtomicsDiffer, AtomicInstructions);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (documents[i].partial)
      claims.push_back({ClaimCode::kNotComplete, {{"document", DocumentLabel(i)}}});
  }
  return claims;
}

}  // namespace

std::string_view UnitOf(ValueKind kind) {
  switch (kind) {
    case ValueKind::kFrequency:
      return "GHz";
    case ValueKind::kCores:
    case ValueKind::kLadder:
      return "ns";
    case ValueKind::kLatency:
    case ValueKind::kThroughput:
    case ValueKind::kBlock:
    case ValueKind::kCacheLatency:
      return "cycles";
    case ValueKind::kCapacity:
      return "KB";
    case ValueKind::kWindow:
      return "entries";
  }
  std::unreachable();
}

bool IsMoreBetter(ValueKind kind) {
  return kind == ValueKind::kFrequency || kind == ValueKind::kCapacity ||
         kind == ValueKind::kWindow;
}

std::string DocumentLabel(std::size_t index) {
  constexpr std::size_t kLetters = 26;
  const char letter = static_cast<char>('A' + index % kLetters);
  return index < kLetters ? std::string(1, letter)
                          : fmt::format("{}{}", letter, index / kLetters + 1);
}

bool Comparison::HasRegression() const {
  return std::ranges::any_of(kinds, [](const ComparedKind& kind) {
    return kind.kind != ValueKind::kFrequency && kind.kind != ValueKind::kWindow &&
           std::ranges::any_of(kind.counts,
                               [](const ChangeCounts& counts) { return counts.worse > 0; });
  });
}

Comparison Compare(std::span<const Document> documents, const CompareOptions& options) {
  assert(documents.size() >= 2);
  Comparison comparison;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const Document& document = documents[i];
    comparison.documents.push_back({.label = DocumentLabel(i),
                                    .source = document.source,
                                    .host = document.host.name,
                                    .cpu = CpuName(document.host),
                                    .cpu_model = document.host.cpu_model,
                                    .cycle_source = document.clock.cycle_source,
                                    .started = document.config.started});
  }
  comparison.claims = WhatDiffers(documents);
  for (const Claim& claim : comparison.claims) comparison.notices.push_back(Sentence(claim));
  NoteWarnings(documents, comparison.notices);
  std::size_t values = 0;
  for (const ValueKind kind : kValueKinds) {
    ComparedKind gathered = GatherKind(kind, documents, options);
    if (gathered.values.empty()) continue;
    values += gathered.values.size() * (documents.size() - 1);
    comparison.kinds.push_back(std::move(gathered));
  }
  for (ComparedKind& kind : comparison.kinds) FindChanges(documents, values, kind);
  return comparison;
}

}  // namespace cyclescope
