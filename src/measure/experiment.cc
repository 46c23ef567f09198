#include "measure/experiment.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "measure/statistics.h"

namespace cyclescope::measure {
namespace {

// What every value is uncertain by, however well its samples agree: the reference itself, and what
// fetching and looping cost that the difference of two lengths does not remove. Chosen by the
// recorded machine (replay_test.cc): values whose visits agreed best were off by 0.1 to 0.26 %
// there.
constexpr double kSystematic = 0.0025;

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double SumOfSquares(const std::vector<double>& values, double centre) {
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return sum;
}

}  // namespace

void LookAgain(const CoreWatch& watch, Measurement& measurement) {
  measurement.contended |= std::ranges::any_of(measurement.visits, [&watch](const Visit& visit) {
    return (visit.state == CoreState::kQuiet && !watch.IsQuietWidth(visit.width)) ||
           (visit.state == CoreState::kUnknown && watch.trusted());
  });
}

Estimate EstimateOf(const Measurement& measurement, double confidence, int contenders) {
  assert(measurement.has_value() && contenders >= 1);
  std::vector<double> all;
  std::vector<double> medians;
  double within = 0;
  for (const Visit& visit : measurement.visits) {
    all.insert(all.end(), visit.cycles.begin(), visit.cycles.end());
    medians.push_back(Median(visit.cycles));
    within += SumOfSquares(visit.cycles, Mean(visit.cycles));
  }
  // All of the contenders' intervals hold at once (Bonferroni).
  const double each_confidence = 1 - (1 - confidence) / contenders;
  Estimate estimate = Summarize(all, measurement.rejected, each_confidence);
  estimate.visits = static_cast<int>(medians.size());
  estimate.contended = measurement.contended;
  estimate.end = measurement.end;
  estimate.disturbed = medians.size() < kFewestVisits;
  if (measurement.agreed) {
    estimate.low = std::min(estimate.low, measurement.agreed->low);
    estimate.high = std::max(estimate.high, measurement.agreed->high);
    estimate.disturbed = false;
    estimate.like = measurement.agreed->like;
    return estimate;
  }

  double half_width = kSystematic * std::abs(estimate.value);
  if (medians.size() > 1 && !estimate.two_modes) {
    // Three visits may agree by chance; but their medians cannot agree better than the samples
    // within a visit do.
    const auto visits = static_cast<double>(medians.size());
    const auto samples = static_cast<double>(all.size());
    const double between = std::sqrt(SumOfSquares(medians, Mean(medians)) / (visits - 1));
    const double inside =
        samples > visits ? std::sqrt(within / (samples - visits) * visits / samples) : 0;
    half_width += StudentQuantile((1 + each_confidence) / 2, static_cast<int>(medians.size()) - 1) *
                  std::max(between, inside) / std::sqrt(visits);
  }
  if (measurement.contended) {
    // A neighbour slows the code and the reference by different amounts, a few per cent.
    constexpr double kContended = 0.03;
    half_width += kContended * std::abs(estimate.value);
  }
  // With few visits nobody knows which side the tail is on: the wider side counts for both.
  constexpr std::size_t kManyVisits = 8;
  if (medians.size() < kManyVisits) {
    half_width =
        std::max({half_width, estimate.value - estimate.low, estimate.high - estimate.value});
  }
  estimate.low = std::min(estimate.low, estimate.value - half_width);
  estimate.high = std::max(estimate.high, estimate.value + half_width);
  return estimate;
}

}  // namespace cyclescope::measure
