// Small helpers for what systems say in text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace cyclescope::os {

// `text` without blanks at either end.
std::string_view Trimmed(std::string_view text);

// The whole of `text` as a number in the given base, or unset.
template <typename Number>
std::optional<Number> ParseNumber(std::string_view text, int base = 10) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Takes the first line off `text` and returns it, without its line end.
std::string_view TakeLine(std::string_view& text);

}  // namespace cyclescope::os
