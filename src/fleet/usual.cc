#include "fleet/usual.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include "statistics/statistics.h"

namespace cyclescope::fleet {
namespace {

// Of a normal distribution: so far from the centre are a half and four fifths of the values.
constexpr double kHalfWithin = 0.6745;
constexpr double kFourFifthsWithin = 1.2816;

constexpr double kNodesOfExpectation = 4;
constexpr std::size_t kMinNodesForSides = 20;
// The shape of far tails is not known: no more is claimed than the number of nodes could say.
constexpr double kMostDegrees = 30;

struct Residual {
  double distance = 0;
  double error = 0;
};

// The spread with which `share` of the residuals are within `within` standard deviations.
double SpreadFor(const std::vector<Residual>& residuals, double share, double within) {
  std::vector<double> scores(residuals.size());
  const auto place =
      std::min(residuals.size() - 1,
               static_cast<std::size_t>(share * static_cast<double>(residuals.size())));
  const auto score_at = [&](double spread) {
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      const double deviation = std::hypot(spread, residuals[i].error);
      scores[i] = residuals[i].distance == 0 ? 0
                  : deviation > 0            ? residuals[i].distance / deviation
                                             : std::numeric_limits<double>::infinity();
    }
    return statistics::Nth(scores, place);
  };
  if (score_at(0) <= within) return 0;
  double high = 0;
  for (const Residual& residual : residuals) high = std::max(high, residual.distance);
  high /= within;  // with this all are within
  double low = high * 1e-9;
  // Halves the ratio each time: a spread is wanted to a thousandth.
  while (high / low > 1.001) {
    const double middle = std::sqrt(low * high);
    (score_at(middle) > within ? low : high) = middle;
  }
  return high;
}

// By how much the median absolute deviation of few values is too small (C. Croux and P. J.
// Rousseeuw, 1992, "Time-efficient algorithms for two highly robust estimators of scale").
double FewValuesFactor(std::size_t count) {
  static constexpr double kFactors[] = {1,     1,     1.196, 1.495, 1.363,
                                        1.206, 1.200, 1.140, 1.129, 1.107};
  if (count < std::size(kFactors)) return kFactors[count];
  return static_cast<double>(count) / (static_cast<double>(count) - 0.8);
}

double SpreadOf(const std::vector<Residual>& residuals) {
  const double middle = SpreadFor(residuals, 0.5, kHalfWithin) * FewValuesFactor(residuals.size());
  if (residuals.size() < kMinNodesForSides) return middle;
  return std::max(middle, SpreadFor(residuals, 0.8, kFourFifthsWithin));
}

struct Side {
  double spread = 0;
  double degrees = 0;
};

Side Conclude(const std::vector<Residual>& residuals, double expected_spread) {
  const double spread = SpreadOf(residuals);
  const auto nodes = static_cast<double>(residuals.size());
  const double variance =
      (kNodesOfExpectation * expected_spread * expected_spread + nodes * spread * spread) /
      (kNodesOfExpectation + nodes);
  return {std::sqrt(variance), std::min(kNodesOfExpectation + nodes - 1, kMostDegrees)};
}

}  // namespace

double Usual::Score(const MetricValue& value) const {
  const double distance = value.place - centre;
  return distance / std::hypot(distance < 0 ? below : above, value.error);
}

double Usual::Chance(const MetricValue& value) const {
  const bool is_below = value.place < centre;
  const double score = Score(value);
  return std::max(statistics::StudentTails(score, is_below ? degrees_below : degrees_above),
                  std::exp(-(is_below ? decay_below : decay_above) * std::abs(score)));
}

double FindDecay(std::vector<double> scores) {
  struct Level {
    double beyond;        // share of the scores
    double normal_score;  // beyond which this share of a normal distribution is, on one side
  };
  static constexpr Level kLevels[] = {{0.2, 1.2816},  {0.1, 1.6449},  {0.05, 1.9600},
                                      {0.02, 2.3263}, {0.01, 2.5758}, {0.002, 3.0902}};
  constexpr double kMinNodesBeyond = 10;
  std::ranges::sort(scores);
  double decay = kLeastDecay;
  for (const Level& level : kLevels) {
    const auto count = static_cast<double>(scores.size());
    if (level.beyond * count < kMinNodesBeyond) break;
    const double score = scores[static_cast<std::size_t>((1 - level.beyond) * count)];
    decay = std::max(decay, -std::log(level.beyond) / std::max(score, level.normal_score));
  }
  return decay;
}

Usual FindUsual(std::span<const MetricValue> values, double expected_spread) {
  std::vector<double> places;
  places.reserve(values.size());
  for (const MetricValue& value : values) places.push_back(value.place);
  Usual usual;
  usual.centre = statistics::Median(places);

  std::vector<Residual> below;
  std::vector<Residual> above;
  std::vector<Residual> both;
  for (const MetricValue& value : values) {
    const double distance = value.place - usual.centre;
    const Residual residual = {std::abs(distance), value.error};
    if (distance <= 0) below.push_back(residual);
    if (distance >= 0) above.push_back(residual);
    both.push_back(residual);
  }
  const bool has_sides = std::min(below.size(), above.size()) >= kMinNodesForSides;
  const Side lower = Conclude(has_sides ? below : both, expected_spread);
  const Side upper = has_sides ? Conclude(above, expected_spread) : lower;
  usual.below = lower.spread;
  usual.degrees_below = lower.degrees;
  usual.above = upper.spread;
  if (has_sides) usual.decay_below = usual.decay_above = kLeastDecay;
  usual.degrees_above = upper.degrees;
  return usual;
}

}  // namespace cyclescope::fleet
