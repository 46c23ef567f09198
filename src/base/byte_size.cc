#include "base/byte_size.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>

namespace cyclescope {
namespace {

constexpr std::array<std::string_view, 5> kUnits = {"B", "KB", "MB", "GB", "TB"};

}  // namespace

std::string FormatBytes(double bytes) {
  std::size_t unit = 0;
  // What would be rounded to 1,000 or more is written in the next unit: 1,000 KB is 0.977 MB.
  while (bytes >= 999.5 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

Result<std::int64_t> ParseBytes(std::string_view text) {
  const auto bad = [text] {
    return BadInput(fmt::format("'{}' is not an amount of memory", text),
                    "write it as in 64K, 16M or 1G");
  };
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number) || number <= 0) return bad();
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  double factor = 1;
  for (std::size_t i = 0; i < kUnits.size(); ++i, factor *= 1024) {
    const bool is_bare = unit.empty() && i == 0;
    if (!is_bare && unit != kUnits[i] && unit != kUnits[i].substr(0, 1)) continue;
    const double bytes = number * factor;
    if (bytes < 1 || bytes > 9e18) return bad();
    return static_cast<std::int64_t>(std::llround(bytes));
  }
  return bad();
}

}  // namespace cyclescope
