#include "measure/experiment.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "statistics/statistics.h"

namespace cyclescope::measure {
namespace {

constexpr double kFastQuantile = 0.25;

// The lower quartile of what a loop of the longer kernel takes, less that of the shorter one's.
double FastValue(std::span<const Visit* const> visits, double units) {
  std::vector<double> shorter;
  std::vector<double> longer;
  for (const Visit* visit : visits) {
    shorter.push_back(visit->shorter);
    longer.push_back(visit->longer);
  }
  return (statistics::Quantile(longer, kFastQuantile) -
          statistics::Quantile(shorter, kFastQuantile)) /
         units;
}

// What other visits of the same kind would have given: visits drawn from these, again and again
// (B. Efron, 1979). The same for the same visits.
statistics::Interval FastInterval(std::span<const Visit> visits, double units, double confidence) {
  constexpr int kDraws = 400;
  std::mt19937 random(1);
  std::uniform_int_distribution<std::size_t> any(0, visits.size() - 1);
  std::vector<double> values;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<const Visit*> drawn;
    while (drawn.size() < visits.size()) drawn.push_back(&visits[any(random)]);
    values.push_back(FastValue(drawn, units));
  }
  return {statistics::Quantile(values, (1 - confidence) / 2),
          statistics::Quantile(values, (1 + confidence) / 2)};
}

// The fast state, and what the visits took in which the longer kernel was slower: each beside the
// shorter kernel as it is when fast, since the two are fast and slow independently. None where all
// were fast.
std::vector<ValueState> SpeedsOf(std::span<const Visit> visits, double units, double fast_value) {
  // A loop that is in the slow state loses a cycle or more; the clock is known within this.
  constexpr double kSameSpeed = 0.01;
  std::vector<double> longer;
  for (const Visit& visit : visits) longer.push_back(visit.longer);
  const double fast_longer = statistics::Quantile(longer, kFastQuantile);
  std::vector<double> slower;
  for (const double each : longer) {
    if (each > (1 + kSameSpeed) * fast_longer) slower.push_back(each);
  }
  if (slower.empty()) return {};
  const double lost = (statistics::Median(slower) - fast_longer) / units;
  const double share = static_cast<double>(slower.size()) / static_cast<double>(visits.size());
  return {{.value = fast_value, .share = 1 - share}, {.value = fast_value + lost, .share = share}};
}

void SetFastState(std::span<const Visit> visits, double units, double confidence,
                  Estimate& estimate) {
  std::vector<const Visit*> all;
  for (const Visit& visit : visits) all.push_back(&visit);
  const double value = FastValue(all, units);
  if (value <= 0) return;
  const statistics::Interval interval = FastInterval(visits, units, confidence);
  double doubt = statistics::kSystematicDoubt * value;
  if (estimate.contended) doubt += statistics::kContendedDoubt * value;
  estimate.value = value;
  estimate.low = std::min(interval.low, value) - doubt;
  estimate.high = std::max(interval.high, value) + doubt;
  estimate.states = SpeedsOf(visits, units, value);
  estimate.two_modes = !estimate.states.empty();
}

}  // namespace

void LookAgain(const QuietCriteria& quiet_criteria, Measurement& measurement) {
  std::erase_if(measurement.visits, [&quiet_criteria](const Visit& visit) {
    return visit.revision != quiet_criteria.revision;
  });
  measurement.contended |=
      std::ranges::any_of(measurement.visits, [&quiet_criteria](const Visit& visit) {
        return (visit.state == CoreState::kQuiet && !quiet_criteria.IsQuiet(visit.width)) ||
               (visit.state == CoreState::kUnknown && quiet_criteria.trusted);
      });
}

statistics::SampleGroups GroupsOf(std::span<const Visit> visits) {
  statistics::SampleGroups samples;
  for (const Visit& visit : visits) samples.groups.emplace_back(visit.cycles);
  return samples;
}

bool IsOfFastQuarter(const Measurement& measurement) {
  constexpr std::size_t kFewestVisitsToTell = 12;  // with fewer, it is not known what is fast
  return measurement.units_of_speeds > 0 && measurement.end != SamplingEnd::kPrecise &&
         measurement.visits.size() >= kFewestVisitsToTell;
}

Estimate EstimateOf(const Measurement& measurement, double confidence, int contenders) {
  statistics::SampleGroups samples = GroupsOf(measurement.visits);
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
  Estimate estimate = statistics::PoolGroups(samples, confidence, contenders);
  estimate.end = measurement.end;
  estimate.disturbed = false;
  estimate.like = measurement.agreed->like;
  const double more =
      measurement.contended ? statistics::kContendedDoubt * std::abs(estimate.value) : 0;
  estimate.low = std::min(estimate.low, measurement.agreed->low) - more;
  estimate.high = std::max(estimate.high, measurement.agreed->high) + more;
  return estimate;
}

}  // namespace cyclescope::measure
