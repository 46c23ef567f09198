// Reading and writing text: blanks, lines, numbers, and what a terminal must not be sent.
#pragma once

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace cyclescope {

// Line ends too, and zero bytes, in which some of the kernel's files end.
inline constexpr std::string_view kBlanks{" \t\r\n\0", 5};

std::string_view Trimmed(std::string_view text, std::string_view blanks = kBlanks);

// Takes the first line off `text` and returns it, without its line end.
std::string_view TakeLine(std::string_view& text);

// The whole of `text` as a number, of a whole one in base 10 or in the one that is given; unset
// where it is none.
template <typename Number>
std::optional<Number> ParseNumber(std::string_view text, auto... base) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base...);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

// {0, 1, 2, 3, 8} to "0-3,8".
std::string FormatRanges(std::span<const int> ascending);

// The text with control characters replaced by '?': result documents come from anywhere, and a
// terminal obeys what they may hold.
std::string Printable(std::string_view text);

}  // namespace cyclescope
