#include "report/core_grid.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace cyclescope {
namespace {

// For the number of the CPU that a row belongs to.
constexpr std::size_t kNameWidth = 5;

// Backgrounds of the 256-colour palette, from near to far: green over yellow to red.
constexpr std::array kHeat = {22, 28, 64, 100, 136, 130, 124, 88};

// Places a value between the nearest and the farthest pair, on a logarithmic scale: the steps from
// thread to core to socket are factors.
class HeatMap {
 public:
  explicit HeatMap(const CoreMatrix& matrix) {
    for (std::size_t row = 0; row < matrix.nanoseconds.size(); ++row) {
      for (std::size_t column = 0; column < matrix.nanoseconds.size(); ++column) {
        if (!matrix.nanoseconds.Has(row, column)) continue;
        least_ = std::min(least_, matrix.nanoseconds.At(row, column));
        most_ = std::max(most_, matrix.nanoseconds.At(row, column));
      }
    }
  }

  std::string Paint(std::string_view cell, double ns) const {
    // Where all are alike, colour would only show noise.
    constexpr double kSameColourRatio = 1.1;
    std::size_t step = 0;
    if (least_ > 0 && most_ > kSameColourRatio * least_) {
      const double place = std::log(ns / least_) / std::log(most_ / least_);
      step = std::min(static_cast<std::size_t>(place * kHeat.size()), kHeat.size() - 1);
    }
    return fmt::format("\x1b[97;48;5;{}m{}\x1b[0m", kHeat[step], cell);
  }

 private:
  double least_ = std::numeric_limits<double>::infinity();
  double most_ = 0;
};

// A number or the number of a CPU, and its mark, which also keeps it from the next.
std::size_t NarrowestCell(const CoreMatrix& matrix, const CoreScale& scale) {
  std::size_t width = 0;
  for (std::size_t row = 0; row < matrix.nanoseconds.size(); ++row) {
    width = std::max(width, fmt::formatted_size("{}", matrix.cpus[row]) + 1);
    for (std::size_t column = 0; column < matrix.nanoseconds.size(); ++column) {
      if (!matrix.nanoseconds.Has(row, column)) continue;
      const double value = scale.Of(row, matrix.nanoseconds.At(row, column));
      width = std::max(width, fmt::formatted_size("{:.0f}", value) + 1);
    }
  }
  return width;
}

// With a space more, and as in the older tools at least six, unless only the narrowest fits.
std::size_t CellWidth(const CoreMatrix& matrix, const CoreScale& scale, int width) {
  constexpr std::size_t kUsualColumns = 6;
  const std::size_t narrowest = NarrowestCell(matrix, scale);
  const std::size_t usual = std::max(kUsualColumns, narrowest + 1);
  const auto fits = [&](std::size_t cell) {
    return kNameWidth + matrix.cpus.size() * cell <= static_cast<std::size_t>(width);
  };
  return !fits(usual) && fits(narrowest) ? narrowest : usual;
}

}  // namespace

std::size_t CoreGridWidth(const CoreMatrix& matrix, const CoreScale& scale) {
  return kNameWidth + matrix.cpus.size() * NarrowestCell(matrix, scale);
}

std::string CoreGridText(const CoreMatrix& matrix, const CoreScale& scale, const TextStyle& style) {
  const std::set disturbed(matrix.disturbed.begin(), matrix.disturbed.end());
  const std::set timed_out(matrix.timed_out.begin(), matrix.timed_out.end());
  const HeatMap heat(matrix);
  const std::size_t width = CellWidth(matrix, scale, std::max(style.width, 0));

  // Numbers that stand close keep their distance from the name of the row.
  const std::size_t is_narrow = width == NarrowestCell(matrix, scale) ? 1 : 0;
  std::string text(kNameWidth, ' ');
  for (const int cpu : matrix.cpus) text += fmt::format("{:>{}} ", cpu, width - 1);
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
  for (std::size_t row = 0; row < matrix.cpus.size(); ++row) {
    std::string line = fmt::format("{:>{}}", matrix.cpus[row], kNameWidth - is_narrow) +
                       std::string(is_narrow, ' ');
    for (std::size_t column = 0; column < matrix.cpus.size(); ++column) {
      const std::pair pair(matrix.cpus[row], matrix.cpus[column]);
      const char mark = timed_out.contains(pair) ? '!' : disturbed.contains(pair) ? '*' : ' ';
      const double ns = matrix.nanoseconds.At(row, column);
      if (std::isnan(ns)) {
        line += fmt::format("{:>{}}{}", "", width - 1, mark);
        continue;
      }
      const std::string cell = fmt::format("{:>{}.0f}{}", scale.Of(row, ns), width - 1, mark);
      line += style.color ? heat.Paint(cell, ns) : cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  if (!disturbed.empty()) text += "* disturbed: too little survived to trust the value\n";
  if (!timed_out.empty()) text += "! one of the two CPUs did not answer in time\n";
  return text;
}

}  // namespace cyclescope
