#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "fleet/collection.h"

namespace cyclescope::fleet {
namespace {

constexpr std::size_t kMostNodes = 1'000'000;
constexpr std::size_t kMostDigits = 16;  // of one number, with the zeros before it

using Names = std::vector<std::string>;

std::optional<std::size_t> NumberOf(std::string_view digits) {
  std::size_t number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || stop != digits.data() + digits.size()) return std::nullopt;
  return number;
}

// Up to the comma, which goes too.
std::string_view TakePart(std::string_view& rest) {
  int depth = 0;
  std::size_t end = 0;
  for (; end < rest.size(); ++end) {
    if (rest[end] == '[') ++depth;
    if (rest[end] == ']') --depth;
    if (rest[end] == ',' && depth == 0) break;
  }
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end < rest.size() ? end + 1 : end);
  return part;
}

// "1-3,07" to "1", "2", "3", "07": numbers are as wide as the first of a range.
std::optional<Names> ExpandRanges(std::string_view ranges) {
  Names numbers;
  while (!ranges.empty()) {
    const std::string_view range = TakePart(ranges);
    const std::size_t dash = range.find('-');
    const std::string_view first_text = range.substr(0, dash);
    const auto first = NumberOf(first_text);
    const auto last = dash == std::string_view::npos ? first : NumberOf(range.substr(dash + 1));
    if (first_text.size() > kMostDigits || !first || !last || *last < *first ||
        *last - *first >= kMostNodes - numbers.size())
      return std::nullopt;
    for (std::size_t number = *first; number <= *last; ++number)
      numbers.push_back(fmt::format("{:0{}}", number, first_text.size()));
  }
  if (numbers.empty()) return std::nullopt;
  return numbers;
}

// One name with some brackets.
bool ExpandPart(const std::string& before, std::string_view rest, Names& names) {
  const std::size_t open = rest.find('[');
  if (open == std::string_view::npos) {
    if (rest.contains(']') || (before.empty() && rest.empty())) return false;
    if (names.size() >= kMostNodes) return false;
    names.push_back(before + std::string(rest));
    return true;
  }
  const std::size_t close = rest.find(']', open);
  if (close == std::string_view::npos) return false;
  const auto numbers = ExpandRanges(rest.substr(open + 1, close - open - 1));
  if (!numbers) return false;
  const std::string beginning = before + std::string(rest.substr(0, open));
  for (const std::string& number : *numbers) {
    if (!ExpandPart(beginning + number, rest.substr(close + 1), names)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<std::string>> ExpandNodeList(std::string_view list) {
  constexpr std::ptrdiff_t kMostBrackets = 8;  // in one name; Slurm has two
  Names names;
  if (list.empty()) return names;
  while (!list.empty()) {
    const std::string_view part = TakePart(list);
    if (std::ranges::count(part, '[') > kMostBrackets || !ExpandPart("", part, names))
      return std::nullopt;
  }
  return names;
}

}  // namespace cyclescope::fleet
