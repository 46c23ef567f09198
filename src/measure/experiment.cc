#include "measure/experiment.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <random>

#include "measure/statistics.h"

namespace cyclescope::measure {
namespace {

double SumOfSquares(std::span<const double> values, double centre) {
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return sum;
}

// From so many groups on, single ones that were hit by something (an interrupt, a burst of a
// neighbour between two probes) are told from the rest, and no longer widen the interval: a group
// of each six is trimmed at each end.
constexpr std::size_t kManyGroups = 6;

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
    // The median of a chi-squared distribution is so much smaller than its mean (Wilson, Hilferty).
    if (own_degrees > 0)
      variances.push_back(own / own_degrees / std::pow(1 - 2 / (9 * own_degrees), 3));
  }
  if (variances.empty()) return 0;
  const double variance = variances.size() < kManyGroups ? squares / degrees : Median(variances);
  return std::sqrt(variance / count);
}

// By how much the middle of the groups may be off. Three of them may agree by chance; but their
// medians cannot agree better than the samples within a group do.
double MedianError(const SampleGroups& samples, double confidence) {
  std::vector<double> medians;
  for (const std::span<const double> group : samples.groups) medians.push_back(Median(group));
  const std::size_t count = medians.size();
  const Trimmed between =
      TrimmedOf(std::move(medians), count < kManyGroups ? 0 : count / kManyGroups);
  return StudentQuantile((1 + confidence) / 2, between.degrees) *
         std::max(between.error, ErrorWithin(samples));
}

// All of the contenders' intervals hold at once (Bonferroni).
double OfEach(double confidence, int contenders) { return 1 - (1 - confidence) / contenders; }

// The median of all samples with the interval that follows from them alone.
Estimate Pool(const SampleGroups& samples, double confidence, int contenders) {
  assert(!samples.groups.empty() && contenders >= 1);
  std::vector<double> all;
  for (const std::span<const double> group : samples.groups)
    all.insert(all.end(), group.begin(), group.end());
  Estimate estimate = Summarize(all, samples.rejected, OfEach(confidence, contenders));
  estimate.visits = static_cast<int>(samples.groups.size());
  estimate.contended = samples.contended;
  estimate.disturbed = samples.groups.size() < kFewestVisits;
  return estimate;
}

// The lower quartile of what a loop of the longer kernel takes, less that of the shorter one's.
double FastValue(std::span<const Visit* const> visits, double units) {
  constexpr double kFast = 0.25;
  std::vector<double> shorter;
  std::vector<double> longer;
  for (const Visit* visit : visits) {
    shorter.push_back(visit->shorter);
    longer.push_back(visit->longer);
  }
  return (Quantile(longer, kFast) - Quantile(shorter, kFast)) / units;
}

// What other visits of the same kind would have given: visits drawn from these, again and again
// (B. Efron, 1979). The same for the same visits.
Interval FastInterval(std::span<const Visit> visits, double units, double confidence) {
  constexpr int kDraws = 400;
  std::mt19937 random(1);
  std::uniform_int_distribution<std::size_t> any(0, visits.size() - 1);
  std::vector<double> values;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<const Visit*> drawn;
    while (drawn.size() < visits.size()) drawn.push_back(&visits[any(random)]);
    values.push_back(FastValue(drawn, units));
  }
  return {Quantile(values, (1 - confidence) / 2), Quantile(values, (1 + confidence) / 2)};
}

void SetFastState(std::span<const Visit> visits, double units, double confidence,
                  Estimate& estimate) {
  std::vector<const Visit*> all;
  for (const Visit& visit : visits) all.push_back(&visit);
  const double value = FastValue(all, units);
  if (value <= 0) return;
  const Interval interval = FastInterval(visits, units, confidence);
  double doubt = kSystematicDoubt * value;
  if (estimate.contended) doubt += kContendedDoubt * value;
  estimate.value = value;
  estimate.low = std::min(interval.low, value) - doubt;
  estimate.high = std::max(interval.high, value) + doubt;
  estimate.two_modes = false;
}

}  // namespace

void LookAgain(const Yardstick& yardstick, Measurement& measurement) {
  std::erase_if(measurement.visits,
                [&yardstick](const Visit& visit) { return visit.revision != yardstick.revision; });
  measurement.contended |=
      std::ranges::any_of(measurement.visits, [&yardstick](const Visit& visit) {
        return (visit.state == CoreState::kQuiet && !yardstick.IsQuiet(visit.width)) ||
               (visit.state == CoreState::kUnknown && yardstick.trusted);
      });
}

SampleGroups GroupsOf(std::span<const Visit> visits) {
  SampleGroups samples;
  for (const Visit& visit : visits) samples.groups.emplace_back(visit.cycles);
  return samples;
}

Estimate EstimateOf(const SampleGroups& samples, double confidence, int contenders) {
  Estimate estimate = Pool(samples, confidence, contenders);
  double half_width = kSystematicDoubt * std::abs(estimate.value);
  if (samples.groups.size() > 1 && !estimate.two_modes)
    half_width += MedianError(samples, OfEach(confidence, contenders));
  if (samples.contended) half_width += kContendedDoubt * std::abs(estimate.value);
  // With few visits nobody knows which side the tail is on: the wider side counts for both.
  constexpr std::size_t kManyVisits = 8;
  if (samples.groups.size() < kManyVisits) {
    half_width =
        std::max({half_width, estimate.value - estimate.low, estimate.high - estimate.value});
  }
  estimate.low = std::min(estimate.low, estimate.value - half_width);
  estimate.high = std::max(estimate.high, estimate.value + half_width);
  return estimate;
}

bool IsOfFastQuarter(const Measurement& measurement) {
  constexpr std::size_t kFewestVisitsToTell = 12;  // with fewer, nobody knows what is fast
  return measurement.units_of_speeds > 0 && measurement.end != SamplingEnd::kPrecise &&
         measurement.visits.size() >= kFewestVisitsToTell;
}

Estimate EstimateOf(const Measurement& measurement, double confidence, int contenders) {
  SampleGroups samples = GroupsOf(measurement.visits);
  samples.rejected = measurement.rejected;
  samples.contended = measurement.contended;
  if (!measurement.agreed) {
    Estimate estimate = EstimateOf(samples, confidence, contenders);
    estimate.end = measurement.end;
    if (IsOfFastQuarter(measurement))
      SetFastState(measurement.visits, measurement.units_of_speeds, confidence, estimate);
    return estimate;
  }
  // The one visit has the interval of what it agreed with.
  Estimate estimate = Pool(samples, confidence, contenders);
  estimate.end = measurement.end;
  estimate.disturbed = false;
  estimate.like = measurement.agreed->like;
  const double more = measurement.contended ? kContendedDoubt * std::abs(estimate.value) : 0;
  estimate.low = std::min(estimate.low, measurement.agreed->low) - more;
  estimate.high = std::max(estimate.high, measurement.agreed->high) + more;
  return estimate;
}

}  // namespace cyclescope::measure
