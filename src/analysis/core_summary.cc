#include "analysis/core_summary.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "statistics/statistics.h"

namespace cyclescope {
namespace {

double MedianOf(const PairMatrix& matrix) {
  std::vector<double> values;
  for (std::size_t row = 0; row < matrix.size(); ++row) {
    for (std::size_t column = 0; column < matrix.size(); ++column) {
      if (matrix.Has(row, column)) values.push_back(matrix.At(row, column));
    }
  }
  if (values.empty()) return PairMatrix::kNone;
  return statistics::Nth(values, values.size() / 2);
}

}  // namespace

std::optional<CoreSummary> Summarize(const CoreMatrix& matrix, const CoreScale& scale) {
  std::vector<CoreExtreme> pairs;
  double sum = 0;
  double square_sum = 0;  // of half widths
  for (std::size_t row = 0; row < matrix.nanoseconds.size(); ++row) {
    for (std::size_t column = 0; column < matrix.nanoseconds.size(); ++column) {
      if (!matrix.nanoseconds.Has(row, column)) continue;
      const CoreExtreme pair = {row, column, scale.Of(row, matrix.nanoseconds.At(row, column)),
                                scale.Of(row, matrix.low.AtOrNone(row, column)),
                                scale.Of(row, matrix.high.AtOrNone(row, column))};
      pairs.push_back(pair);
      sum += pair.value;
      square_sum += std::pow((pair.high - pair.low) / 2, 2);
    }
  }
  if (pairs.empty()) return std::nullopt;

  CoreSummary summary;
  summary.pairs = pairs.size();
  const auto [least, most] = std::ranges::minmax_element(pairs, {}, &CoreExtreme::value);
  summary.least = *least;
  summary.most = *most;
  std::ranges::sort(pairs, {}, &CoreExtreme::value);
  const CoreExtreme& lower = pairs[(pairs.size() - 1) / 2];
  const CoreExtreme& upper = pairs[pairs.size() / 2];
  summary.median = (lower.value + upper.value) / 2;
  summary.median_low = (lower.low + upper.low) / 2;
  summary.median_high = (lower.high + upper.high) / 2;
  const auto count = static_cast<double>(pairs.size());
  summary.mean = sum / count;
  summary.mean_low = summary.mean - std::sqrt(square_sum) / count;
  summary.mean_high = summary.mean + std::sqrt(square_sum) / count;
  summary.spread_within = MedianOf(matrix.spread_within);
  summary.spread_between = MedianOf(matrix.spread_between);
  return summary;
}

}  // namespace cyclescope
