// Small files of /proc and /sys. A file that is not there, or may not be read, is nothing unusual:
// kernels, containers and virtual machines all leave some out.
#pragma once

#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace cyclescope::os {

// The text of a file without blanks and zero bytes at its end; unset where it cannot be read.
std::optional<std::string> ReadText(const std::filesystem::path& path);

// The same, empty where it cannot be read.
std::string ReadTextOrEmpty(const std::filesystem::path& path);

std::optional<int> ReadInteger(const std::filesystem::path& path);

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
