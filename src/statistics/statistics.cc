#include "statistics/statistics.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>

namespace cyclescope::statistics {
namespace {

std::vector<double> Sorted(std::span<const double> values) {
  assert(!values.empty());
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return sorted;
}

double MedianOfSorted(std::span<const double> sorted) {
  const std::size_t middle = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[middle];
  return (sorted[middle - 1] + sorted[middle]) / 2;
}

// How many values to leave out at each end so that the rest covers the median with at least
// `confidence`. Each value lies below the median with probability one half, so the count below it
// is binomial. Probabilities are kept as logarithms: 0.5 to the power of 1,100 is no double. (Not
// by std::lgamma, which writes a variable that all threads share.)
std::size_t TailRank(std::size_t count, double confidence) {
  const double allowed_tail = (1 - confidence) / 2;
  const auto n = static_cast<double>(count);
  double tail = 0;
  double log_probability = -n * std::numbers::ln2;  // that `rank` values lie below
  std::size_t rank = 0;
  for (; rank < count / 2; ++rank) {
    tail += std::exp(log_probability);
    if (tail > allowed_tail) break;
    const auto below = static_cast<double>(rank);
    log_probability += std::log((n - below) / (below + 1));
  }
  return rank == 0 ? 0 : rank - 1;
}

}  // namespace

double Nth(std::vector<double>& values, std::size_t place) {
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::ranges::nth_element(values, nth);
  return *nth;
}

double Median(std::span<const double> values) {
  // The samples of a visit are few, and their median is asked for again and again.
  constexpr std::size_t kMaxOnStack = 16;
  if (values.size() > kMaxOnStack) return MedianOfSorted(Sorted(values));
  assert(!values.empty());
  std::array<double, kMaxOnStack> few{};
  const auto end = std::ranges::copy(values, few.begin()).out;
  std::sort(few.begin(), end);
  return MedianOfSorted(std::span(few).first(values.size()));
}

double Quantile(std::span<const double> values, double fraction) {
  const std::vector<double> sorted = Sorted(values);
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

double MedianDeviation(std::span<const double> values) {
  const double median = Median(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - median));
  return Median(distances);
}

double Mean(std::span<const double> values) {
  assert(!values.empty());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Trimmed TrimmedOf(std::vector<double> values, std::size_t cut) {
  assert(values.size() >= 2 && values.size() > 2 * cut);
  // What is cut need not be in order, so that 300,000 pairs of CPUs do not sort their lines for
  // this.
  const double lowest = Nth(values, cut);
  const double highest = Nth(values, values.size() - 1 - cut);
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += std::clamp(value, lowest, highest);
  double squares = 0;
  for (const double value : values)
    squares += std::pow(std::clamp(value, lowest, highest) - sum / count, 2);
  const auto cut_each = static_cast<double>(cut);
  const double kept = count - 2 * cut_each;
  return {.mean = (sum - cut_each * (lowest + highest)) / kept,
          .error = std::sqrt(squares / (count - 1)) / (kept / count) / std::sqrt(count),
          .degrees = static_cast<int>(kept) - 1};
}

Interval MedianInterval(std::span<const double> values, double confidence) {
  const std::vector<double> sorted = Sorted(values);
  const std::size_t tail = TailRank(sorted.size(), confidence);
  return {sorted[tail], sorted[sorted.size() - 1 - tail]};
}

std::pair<std::vector<double>, std::vector<double>> SplitModes(std::span<const double> values,
                                                               double widths_of_gap) {
  std::vector<double> sorted = Sorted(values);
  const auto least_size = std::max<std::size_t>(3, (sorted.size() + 4) / 5);
  // Differences below this share of the value are noise of the clock, not modes.
  constexpr double kLeastRelativeGap = 0.005;

  std::size_t split = 0;
  double widest = 0;
  for (std::size_t i = least_size; i + least_size <= sorted.size(); ++i) {
    const double gap = sorted[i] - sorted[i - 1];
    if (gap > widest) {
      widest = gap;
      split = i;
    }
  }
  if (split == 0 || widest < kLeastRelativeGap * std::abs(MedianOfSorted(sorted)))
    return {sorted, {}};

  std::vector<double> lower(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(split));
  std::vector<double> upper(sorted.begin() + static_cast<std::ptrdiff_t>(split), sorted.end());
  // Widths without the outermost tenth, so that one outlier does not hide a second mode.
  const auto width = [](std::span<const double> group) {
    return Quantile(group, 0.9) - Quantile(group, 0.1);
  };
  if (widest < widths_of_gap * std::max(width(lower), width(upper))) return {sorted, {}};
  return {std::move(lower), std::move(upper)};
}

std::vector<std::vector<double>> SplitStates(std::span<const double> values, double widths_of_gap) {
  // With fewer, three groups of three are soon found in anything.
  constexpr std::size_t kMinValuesForThreeStates = 18;
  auto [lower, upper] = SplitModes(values, widths_of_gap);
  if (upper.empty()) return {std::move(lower)};
  if (values.size() < kMinValuesForThreeStates) return {std::move(lower), std::move(upper)};
  std::vector<std::vector<double>> states = SplitStates(lower, widths_of_gap);
  for (std::vector<double>& state : SplitStates(upper, widths_of_gap))
    states.push_back(std::move(state));
  return states;
}

Estimate Summarize(std::vector<double> samples, int rejected, double confidence,
                   Grouping grouping) {
  const std::vector<std::vector<double>> states =
      grouping == Grouping::kOneGroup
          ? std::vector<std::vector<double>>{Sorted(samples)}
          : SplitStates(samples, grouping == Grouping::kFarStates ? kGapOfFewVisits : 1);
  const std::vector<double>& group =
      *std::ranges::max_element(states, {}, &std::vector<double>::size);
  const Interval interval = MedianInterval(group, confidence);
  Estimate estimate;
  estimate.value = MedianOfSorted(group);
  estimate.low = interval.low;
  estimate.high = interval.high;
  estimate.kept = static_cast<int>(samples.size());
  estimate.rejected = rejected;
  estimate.two_modes = states.size() > 1;
  for (const std::vector<double>& state : states) {
    if (!estimate.two_modes) break;
    estimate.states.push_back({MedianOfSorted(state), static_cast<double>(state.size()) /
                                                          static_cast<double>(samples.size())});
  }
  estimate.samples = std::move(samples);
  return estimate;
}

}  // namespace cyclescope::statistics
