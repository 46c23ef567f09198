#include "statistics/sample_groups.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "statistics/statistics.h"

namespace cyclescope::statistics {
namespace {

double SumOfSquares(std::span<const double> values, double centre) {
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return sum;
}

// From this number of groups on, single ones that were hit by something (an interrupt, a burst of a
// neighbour between two probes) are told from the rest, and no longer widen the interval: a group
// of each six is trimmed at each end.
constexpr std::size_t kGroupsToTrimFrom = 6;

// From this number of groups on, a gap as wide as what lies beside it is rarely chance.
constexpr std::size_t kGroupsThatShowStates = 12;

// Of a few visits, each may lie apart from the others by chance.
Grouping GroupingOf(std::size_t groups) {
  if (groups < kGroupsToTrimFrom) return Grouping::kOneGroup;
  return groups < kGroupsThatShowStates ? Grouping::kFarStates : Grouping::kStates;
}

// The standard error of the middle of the groups, as far as the samples within groups tell.
double ErrorWithin(const SampleGroups& samples) {
  double squares = 0;
  double degrees = 0;
  double count = 0;
  std::vector<double> variances;
  for (const std::span<const double> group : samples.groups) {
    const double own = SumOfSquares(group, Mean(group));
    const auto own_degrees = static_cast<double>(group.size()) - 1;
    squares += own;
    degrees += own_degrees;
    count += static_cast<double>(group.size());
    // The median of a chi-squared distribution is smaller than its mean by this factor (Wilson,
    // Hilferty).
    if (own_degrees > 0)
      variances.push_back(own / own_degrees / std::pow(1 - 2 / (9 * own_degrees), 3));
  }
  if (variances.empty()) return 0;
  const double variance =
      variances.size() < kGroupsToTrimFrom ? squares / degrees : Median(variances);
  return std::sqrt(variance / count);
}

// By how much the middle of the groups may be off. Three of them may agree by chance; but their
// medians cannot agree better than the samples within a group do.
double MedianError(const SampleGroups& samples, double confidence) {
  std::vector<double> medians;
  for (const std::span<const double> group : samples.groups) medians.push_back(Median(group));
  const std::size_t count = medians.size();
  const Trimmed between =
      TrimmedOf(std::move(medians), count < kGroupsToTrimFrom ? 0 : count / kGroupsToTrimFrom);
  return StudentQuantile((1 + confidence) / 2, between.degrees) *
         std::max(between.error, ErrorWithin(samples));
}

// The groups that are in the state which the value is that of; all where these are too few.
SampleGroups OfMainState(const SampleGroups& samples, const Estimate& estimate) {
  SampleGroups main;
  for (const std::span<const double> group : samples.groups) {
    const double median = Median(group);
    const bool is_nearest = std::ranges::none_of(estimate.states, [&](const ValueState& state) {
      return std::abs(state.value - median) < std::abs(estimate.value - median);
    });
    if (is_nearest) main.groups.push_back(group);
  }
  return main.groups.size() < kFewestVisits ? samples : main;
}

// All of the contenders' intervals hold at once (Bonferroni).
double OfEach(double confidence, int contenders) { return 1 - (1 - confidence) / contenders; }

}  // namespace

Estimate PoolGroups(const SampleGroups& samples, double confidence, int contenders) {
  assert(!samples.groups.empty() && contenders >= 1);
  std::vector<double> all;
  for (const std::span<const double> group : samples.groups)
    all.insert(all.end(), group.begin(), group.end());
  Estimate estimate = Summarize(all, samples.rejected, OfEach(confidence, contenders),
                                GroupingOf(samples.groups.size()));
  estimate.visits = static_cast<int>(samples.groups.size());
  estimate.contended = samples.contended;
  estimate.disturbed = samples.groups.size() < kFewestVisits;
  return estimate;
}

Estimate EstimateOf(const SampleGroups& samples, double confidence, int contenders) {
  Estimate estimate = PoolGroups(samples, confidence, contenders);
  double half_width = kSystematicDoubt * std::abs(estimate.value);
  if (samples.groups.size() > 1)
    half_width += MedianError(OfMainState(samples, estimate), OfEach(confidence, contenders));
  if (samples.contended) half_width += kContendedDoubt * std::abs(estimate.value);
  // With few visits it is not known which side the tail is on: the wider side counts for both.
  constexpr std::size_t kVisitsForOneSidedTail = 8;
  if (samples.groups.size() < kVisitsForOneSidedTail) {
    half_width =
        std::max({half_width, estimate.value - estimate.low, estimate.high - estimate.value});
  }
  estimate.low = std::min(estimate.low, estimate.value - half_width);
  estimate.high = std::max(estimate.high, estimate.value + half_width);
  return estimate;
}

}  // namespace cyclescope::statistics
