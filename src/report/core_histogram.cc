#include "report/core_histogram.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace cyclescope {
namespace {

std::vector<double> ValuesOf(const CoreMatrix& matrix, const CoreScale& scale) {
  std::vector<double> values;
  for (std::size_t row = 0; row < matrix.nanoseconds.size(); ++row) {
    for (std::size_t column = 0; column < matrix.nanoseconds.size(); ++column) {
      if (row == column || !matrix.nanoseconds.Has(row, column)) continue;
      values.push_back(scale.Of(row, matrix.nanoseconds.At(row, column)));
    }
  }
  return values;
}

}  // namespace

std::string CoreHistogramText(const CoreMatrix& matrix, const CoreScale& scale,
                              const TextStyle& style) {
  constexpr std::size_t kFewestPairs = 12;
  constexpr std::size_t kBars = 16;
  const std::vector<double> values = ValuesOf(matrix, scale);
  if (values.size() < kFewestPairs) return "";
  const auto [least, most] = std::ranges::minmax(values);
  const double step = (most - least) / kBars;
  if (step <= 0) return "";
  std::vector<std::size_t> counts(kBars);
  for (const double value : values) {
    const auto bar = static_cast<std::size_t>((value - least) / step);
    ++counts[std::min(bar, kBars - 1)];
  }

  constexpr int kBesideTheBar = 32;
  const auto longest = static_cast<double>(std::ranges::max(counts));
  const double width = std::max(style.width - kBesideTheBar, 10);
  std::string text = fmt::format("{:>17}  pairs\n", scale.unit);
  for (std::size_t i = 0; i < kBars; ++i) {
    const double from = least + step * static_cast<double>(i);
    // A bar is never empty where there is a pair.
    const auto length =
        static_cast<std::size_t>(std::ceil(static_cast<double>(counts[i]) / longest * width));
    std::string line = fmt::format("{:>7.1f} – {:>7.1f}  {:>5}  ", from, from + step, counts[i]);
    line += std::string(length, '#');
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace cyclescope
