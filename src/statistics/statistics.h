// Statistics that assume nothing about the distribution: timing noise is skewed, has steps and
// outliers, and is never normal.
//
//   Estimate cycles = Summarize(samples, /*rejected=*/2, 0.95);
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "cyclescope/result/estimate.h"

namespace cyclescope::statistics {

struct Interval {
  double low = 0;
  double high = 0;
};

// All of these take values in any order and need at least one.
double Median(std::span<const double> values);
double Quantile(std::span<const double> values, double fraction);
// The median distance from the median (median absolute deviation), which no single outlier changes
// by much. A normal distribution's standard deviation is that many times as much.
double MedianDeviation(std::span<const double> values);
inline constexpr double kDeviationsOfNormal = 1.4826;

// The value at a place in the order of all; reorders them.
double Nth(std::vector<double>& values, std::size_t place);

double Mean(std::span<const double> values);

// The mean of what is left when `cut` values are cut from each end, with its standard error and
// that error's degrees of freedom (J. W. Tukey and D. H. McLaughlin, 1963). More than twice as many
// values as are cut, and at least two.
struct Trimmed {
  double mean = 0;
  double error = 0;
  int degrees = 1;
};
Trimmed TrimmedOf(std::vector<double> values, std::size_t cut);

// The interval between two order statistics that covers the median with at least `confidence`,
// whatever the distribution (W. R. Thompson, 1936: the ranks follow from the binomial
// distribution). With too few values for that, it is their range.
Interval MedianInterval(std::span<const double> values, double confidence);

// Splits the values where they fall into two groups: both hold at least a fifth of them, and the
// gap between them is wider than either group, by that factor. The two parts are sorted; the second
// is empty when there is one group only.
std::pair<std::vector<double>, std::vector<double>> SplitModes(std::span<const double> values,
                                                               double widths_of_gap = 1);

// The same for any number of groups, in order.
std::vector<std::vector<double>> SplitStates(std::span<const double> values,
                                             double widths_of_gap = 1);

// Whether the values may fall into groups that are states of what was measured: never, where a gap
// is wider than the groups, or where it is several times as wide (kGapOfFewVisits).
enum class Grouping { kStates, kFarStates, kOneGroup };

// How many times as wide as either group the gap between two is where visits are few: these leave
// gaps by chance, and the samples of one lie together. Chosen by the simulation of
// coverage_test.cc.
inline constexpr double kGapOfFewVisits = 3;

// The whole Estimate: with several states, the value and interval are those of the largest group.
// At least one value.
Estimate Summarize(std::vector<double> samples, int rejected, double confidence,
                   Grouping grouping = Grouping::kStates);

// For means and their differences, which are nearly normal where single values are not: the value
// that a Student variable with that many degrees of freedom stays below with probability
// `probability`, above 0 and below 1. Degrees above 0.
double StudentQuantile(double probability, double degrees);

// The probability that a Student variable is at least so far from 0, on either side.
double StudentTails(double t, double degrees);

// The lower end of the 95 % interval of a share that was seen in that many trials (Wilson, 1927);
// 0 without trials.
double LeastShare(double share, double trials);

}  // namespace cyclescope::statistics
