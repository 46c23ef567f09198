#include "os/linux/files.h"

#include <array>
#include <fstream>

namespace cyclescope::os {
namespace {

// Device-tree properties end in a zero byte, everything else in a line end.
constexpr std::string_view kBlanks{" \t\r\n\0", 5};

}  // namespace

std::optional<std::string> ReadText(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::string text;
  for (std::array<char, 4096> block; file.read(block.data(), block.size()), file.gcount() > 0;) {
    text.append(block.data(), static_cast<std::size_t>(file.gcount()));
  }
  // A folder, and some files of sysfs, can be opened but not read.
  if (file.bad()) return std::nullopt;
  text.erase(text.find_last_not_of(kBlanks) + 1);
  return text;
}

std::string ReadTextOrEmpty(const std::filesystem::path& path) {
  return ReadText(path).value_or("");
}

std::optional<int> ReadInteger(const std::filesystem::path& path) {
  const auto text = ReadText(path);
  return text ? ParseNumber<int>(*text) : std::nullopt;
}

std::string_view Trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string_view TakeLine(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

}  // namespace cyclescope::os
