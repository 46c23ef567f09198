// What is usual for a metric among nodes that should be equal, when some of them are not.
#pragma once

#include <span>
#include <vector>

#include "fleet/node_metrics.h"

namespace cyclescope::fleet {

// How fast a tail falls off where nothing better is known: with a fifth of the values beyond 1.2816
// standard deviations, as of a normal distribution.
inline constexpr double kLeastDecay = 1.2558;
// The same where both sides have one spread, since there are too few nodes: all noise may be on one
// side, and an exponential's median absolute deviation is 0.481 of its mean.
inline constexpr double kLeastPooledDecay = 0.713;

struct Usual {
  double centre = 0;         // on the metric's scale
  double below = 0;          // standard deviation between nodes, below the centre
  double above = 0;          // and above it
  double degrees_below = 0;  // of freedom, of what is known of these
  double degrees_above = 0;
  double decay_below = kLeastPooledDecay;  // see FindDecay
  double decay_above = kLeastPooledDecay;

  // How far a value is from the centre, in standard deviations of the group and of itself together.
  double Score(const MetricValue& value) const;
  // How likely a value of a group of equals is at least so far from the centre: the larger of what
  // few nodes (Student) and what tails allow.
  double Chance(const MetricValue& value) const;
};

// The median of the nodes, and what is between nodes beyond the errors of their own values: the
// spread with which the middle ones are as far from the centre as they should be (as the median
// absolute deviation, with each node's own error taken off). Noise only adds time, so each side has
// a spread of its own where there are nodes enough; and tails that are heavier than a normal
// distribution's widen it.
//
// Few nodes say little about their spread. What is known of it beforehand (`expected_spread`)
// counts as four nodes more (as in G. K. Smyth, 2004, "Linear models and empirical Bayes methods").
//
// At least one value.
Usual FindUsual(std::span<const MetricValue> values, double expected_spread);

// How fast the tail of scores on one side falls off, at least: a chance of exp(-decay * score). Of
// any noise whose density is log-concave (normal, Laplace, exponential, ...) the logarithm of the
// tail is concave as well, so that of a tail S with S(q) = s nothing beyond q is above
// s ^ (score / q). Every quantile that enough scores lie beyond gives such a limit, and outliers
// only loosen it; the tightest counts, but none that is tighter than a normal distribution's.
double FindDecay(std::vector<double> scores);

}  // namespace cyclescope::fleet
