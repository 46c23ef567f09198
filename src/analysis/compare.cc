#include "analysis/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "analysis/compare_values.h"
#include "analysis/host_words.h"

namespace cyclescope {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kDefaultThreshold = 0.02;
constexpr double kDefaultMovingThreshold = 0.05;

// The distance from the mean, in standard deviations, beyond which a normal distribution has
// `probability` left on both sides together.
double TwoSidedQuantile(double probability) {
  double low = 0;
  double high = 40;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > probability ? low : high) = middle;
  }
  return low;
}

// How much wider the intervals must be taken when many values are judged at once. At 95 %, one in
// twenty values that did not change would else be called changed: 15 in a matrix of 18 CPUs. The
// widening (Bonferroni's, through normal quantiles) keeps the chance of *any* false change in a
// kind at what it is for a single value.
double Widening(double confidence, std::size_t values) {
  const double chance = 1 - confidence;
  if (!(chance > 0 && chance < 1) || values < 2) return 1;
  return TwoSidedQuantile(chance / static_cast<double>(values)) / TwoSidedQuantile(chance);
}

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

Verdict Judge(const Change& change, const ComparedEstimate& first, const ComparedEstimate& other,
              double threshold, double widening) {
  if (std::isnan(change.low) || std::isnan(change.high)) return Verdict::kCannotTell;
  const double smallest = threshold * std::abs(first.value);
  const double chance_low = (change.difference - change.low) * widening;
  const double chance_high = (change.high - change.difference) * widening;
  const bool excludes_chance = change.difference > chance_low || change.difference < -chance_high;
  if (excludes_chance && !Overlap(first, other) && std::abs(change.difference) >= smallest)
    return Verdict::kChanged;
  if (change.low > -smallest && change.high < smallest) return Verdict::kSame;
  return Verdict::kCannotTell;
}

// Of a bound nothing is known but that the value is not above it: neither is the change.
bool IsOpenBelow(const ComparedEstimate& first, const ComparedEstimate& other) {
  return first.bound || other.bound;
}

// Why Judge(), or a doubt about a value, leaves it open.
std::string WhyOpen(const Change& change, const ComparedEstimate& first,
                    const ComparedEstimate& other, std::size_t other_index, double threshold,
                    std::size_t values) {
  if (!first.doubt.empty()) {
    const std::string too =
        first.doubt == other.doubt ? fmt::format(", {} too", DocumentLabel(other_index)) : "";
    return fmt::format("{} {}{}", DocumentLabel(0), first.doubt, too);
  }
  if (!other.doubt.empty()) return fmt::format("{} {}", DocumentLabel(other_index), other.doubt);
  if (std::isnan(change.low) || std::isnan(change.high)) return "a result gives no interval";
  if (Overlap(first, other)) return "the intervals overlap";
  if (std::abs(change.difference) < threshold * std::abs(first.value))
    return "the change may be above or below the threshold";
  return fmt::format("of {} values judged at once, one may differ so much by chance", values);
}

Change ChangeOf(ValueKind kind, const ComparedValue& value, std::size_t other_index,
                double threshold, double widening, std::size_t values) {
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
  Change change = !are_equal && IsOpenBelow(*first, *other) ? unknown : Difference(*first, *other);
  if (are_equal) {
    change.verdict = Verdict::kSame;
  } else if (first->doubt.empty() && other->doubt.empty()) {
    change.verdict = Judge(change, *first, *other, threshold, widening);
  } else {
    change.verdict = Verdict::kCannotTell;
  }
  if (change.verdict == Verdict::kCannotTell) {
    change.reason = WhyOpen(change, *first, *other, other_index, threshold, values);
  }
  const bool slower = kind == ValueKind::kFrequency ? change.difference < 0 : change.difference > 0;
  change.worse = change.verdict == Verdict::kChanged && slower;
  return change;
}

double Median(std::vector<double>& values) {
  if (values.empty()) return kNone;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
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
  counts.median_relative = Median(relative);
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

ComparedKind CompareKind(ValueKind kind, std::span<const Document> documents,
                         const CompareOptions& options) {
  ComparedKind compared;
  compared.kind = kind;
  const bool moves = kind == ValueKind::kCores || kind == ValueKind::kLadder;
  compared.threshold =
      options.threshold.value_or(moves ? kDefaultMovingThreshold : kDefaultThreshold);
  compared.values = GatherValues(kind, documents);
  for (std::size_t other = 1; other < documents.size(); ++other) {
    const double confidence =
        std::min(documents[0].config.confidence, documents[other].config.confidence);
    const double widening = Widening(confidence, compared.values.size());
    for (ComparedValue& value : compared.values) {
      value.changes.push_back(
          ChangeOf(kind, value, other, compared.threshold, widening, compared.values.size()));
    }
    compared.counts.push_back(Count(compared.values, other - 1));
  }
  std::ranges::stable_sort(compared.values, {}, Rank);
  return compared;
}

// Says so when the documents do not agree about something. Those that do not know it are left out.
template <typename Get>
void NoteDifferent(std::span<const Document> documents, std::string_view what, Get get,
                   std::string_view consequence, std::vector<std::string>& notices) {
  std::set<std::string> distinct;
  std::string list;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const std::string value = get(documents[i]);
    if (value.empty()) continue;
    distinct.insert(value);
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", DocumentLabel(i), value);
  }
  if (distinct.size() < 2) return;
  notices.push_back(fmt::format("different {}: {}; {}", what, list, consequence));
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

std::vector<std::string> Notices(std::span<const Document> documents) {
  std::vector<std::string> notices;
  NoteDifferent(
      documents, "schema versions", [](const Document& d) { return d.schema; },
      "only what this version understands is compared", notices);
  NoteDifferent(
      documents, "architectures", [](const Document& d) { return d.host.architecture; },
      "their instructions have nothing in common", notices);
  NoteDifferent(
      documents, "CPUs", [](const Document& d) { return CpuName(d.host); },
      "CPUs of the same number are compared, whatever their place", notices);
  NoteDifferent(
      documents, "cycle sources", [](const Document& d) { return d.clock.cycle_source; },
      "cycles may differ by what the sources differ", notices);
  NoteDifferent(
      documents, "versions of cyclescope", [](const Document& d) { return d.tool.version; },
      "a difference may come from a change of method", notices);
  NoteDifferent(documents, "core-to-core instructions", AtomicInstructions,
                "a difference may come from the instruction", notices);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (documents[i].partial) {
      notices.push_back(fmt::format("{} is not complete", DocumentLabel(i)));
    }
  }
  NoteWarnings(documents, notices);
  return notices;
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
      return "cycles";
  }
  std::unreachable();
}

std::string DocumentLabel(std::size_t index) {
  constexpr std::size_t kLetters = 26;
  const char letter = static_cast<char>('A' + index % kLetters);
  return index < kLetters ? std::string(1, letter)
                          : fmt::format("{}{}", letter, index / kLetters + 1);
}

bool Comparison::HasRegression() const {
  return std::ranges::any_of(kinds, [](const ComparedKind& kind) {
    return kind.kind != ValueKind::kFrequency &&
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
  comparison.notices = Notices(documents);
  for (const ValueKind kind : kValueKinds) {
    ComparedKind compared = CompareKind(kind, documents, options);
    if (!compared.values.empty()) comparison.kinds.push_back(std::move(compared));
  }
  return comparison;
}

}  // namespace cyclescope
