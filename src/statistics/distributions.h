// Quantiles and tails of the distributions that intervals and verdicts are made with.
#pragma once

namespace cyclescope::statistics {

// The value that a Student variable with that many degrees of freedom stays below with probability
// `probability`, above 0 and below 1. Degrees above 0.
double StudentQuantile(double probability, double degrees);

// The probability that a Student variable is at least so far from 0, on either side.
double StudentTails(double t, double degrees);

// The lower end of the 95 % interval of a share that was seen in that many trials (Wilson, 1927);
// 0 without trials.
double LeastShare(double share, double trials);

}  // namespace cyclescope::statistics
