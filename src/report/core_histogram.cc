#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "analysis/core_words.h"
#include "base/text.h"
#include "report/cores_text.h"
#include "report/text_style.h"

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

constexpr std::size_t kFewestVisits = 12;

struct Bar {
  double from = 0;
  double to = 0;
  std::size_t count = 0;
  std::string level;  // its name, on the bar where it peaks
};

std::string BarsText(const std::vector<Bar>& bars, std::string_view unit, std::string_view what,
                     const TextStyle& style) {
  constexpr int kBesideTheBar = 32;
  std::size_t most = 1;
  std::size_t longest_name = 0;
  for (const Bar& bar : bars) {
    most = std::max(most, bar.count);
    if (!bar.level.empty()) longest_name = std::max(longest_name, bar.level.size() + 2);
  }
  const double width = std::max(style.width - kBesideTheBar - static_cast<int>(longest_name), 10);
  std::string text = fmt::format("{:>17}  {}\n", unit, what);
  bool in_gap = false;
  for (const Bar& bar : bars) {
    // Of a stretch without any, one line.
    if (bar.count == 0 && in_gap) continue;
    in_gap = bar.count == 0;
    if (in_gap && bars.size() > 1) {
      text += fmt::format("{:>17}\n", "...");
      continue;
    }
    // A bar is never empty where there is a pair.
    const auto length = static_cast<std::size_t>(
        std::ceil(static_cast<double>(bar.count) / static_cast<double>(most) * width));
    std::string line = fmt::format("{:>7.1f} – {:>7.1f}  {:>{}}  ", bar.from, bar.to, bar.count,
                                   std::max<std::size_t>(what.size(), 5));
    line += std::string(length, '#');
    if (!bar.level.empty()) line += "  " + bar.level;
    text += line + '\n';
  }
  return text;
}

std::string SpectrumText(const CoreMatrix& matrix, const TextStyle& style) {
  const CoreSpectrum& spectrum = matrix.spectrum;
  std::vector<Bar> bars;
  std::size_t all = 0;
  double from = spectrum.first_ns;
  for (const std::int64_t count : spectrum.counts) {
    bars.push_back({from, from * spectrum.step,
                    static_cast<std::size_t>(std::max<std::int64_t>(count, 0)), ""});
    all += bars.back().count;
    from *= spectrum.step;
  }
  if (all < kFewestVisits) return "";
  for (const CoreLevel& level : spectrum.levels) {
    const auto bar = std::ranges::find_if(
        bars, [&level](const Bar& candidate) { return level.nanoseconds < candidate.to; });
    if (bar == bars.end()) continue;
    if (!bar->level.empty()) bar->level += "; ";
    bar->level += fmt::format("{}: peak at {:.3g} ns, {}", Printable(level.name), level.nanoseconds,
                              PercentText(level.share));
  }
  return BarsText(bars, "ns", matrix.rounds > 0 ? "visits" : "pairs", style);
}

}  // namespace

std::string CoreHistogramText(const CoreMatrix& matrix, const CoreScale& scale,
                              const TextStyle& style) {
  if (!matrix.spectrum.counts.empty()) return SpectrumText(matrix, style);
  constexpr std::size_t kBars = 16;
  const std::vector<double> values = ValuesOf(matrix, scale);
  if (values.size() < kFewestVisits) return "";
  const auto [least, most] = std::ranges::minmax(values);
  const double step = (most - least) / kBars;
  if (step <= 0) return "";
  std::vector<Bar> bars(kBars);
  for (std::size_t i = 0; i < kBars; ++i) {
    bars[i].from = least + step * static_cast<double>(i);
    bars[i].to = bars[i].from + step;
  }
  for (const double value : values) {
    ++bars[std::min(static_cast<std::size_t>((value - least) / step), kBars - 1)].count;
  }
  return BarsText(bars, scale.unit, "pairs", style);
}

}  // namespace cyclescope
