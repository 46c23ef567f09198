#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cassert>
#include <cmath>
#include <map>
#include <utility>

#include "statistics/statistics.h"

namespace cyclescope::statistics {
namespace {

// Tails far out are 0, and no exception.
using Policy = boost::math::policies::policy<
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::underflow_error<boost::math::policies::ignore_error>>;
using Student = boost::math::students_t_distribution<double, Policy>;

}  // namespace

double StudentQuantile(double probability, double degrees) {
  assert(probability > 0 && probability < 1 && degrees > 0);
  // The same few are asked for thousands of times.
  static thread_local std::map<std::pair<double, double>, double> known;
  const auto [found, is_new] = known.try_emplace({probability, degrees});
  if (is_new) found->second = boost::math::quantile(Student(degrees), probability);
  return found->second;
}

double StudentTails(double t, double degrees) {
  return 2 * boost::math::cdf(boost::math::complement(Student(degrees), std::abs(t)));
}

double LeastShare(double share, double trials) {
  if (trials <= 0) return 0;
  constexpr double kNormalQuantile = 1.959964;
  const double square = kNormalQuantile * kNormalQuantile;
  const double middle = share + square / (2 * trials);
  const double half =
      kNormalQuantile * std::sqrt(share * (1 - share) / trials + square / (4 * trials * trials));
  return std::max(0.0, (middle - half) / (1 + square / trials));
}

}  // namespace cyclescope::statistics
