#include "os/linux/files.h"

#include <array>
#include <fstream>
#include <string_view>

#include "base/text.h"

namespace cyclescope::os {
std::optional<std::string> ReadText(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::string text;
  for (std::array<char, 4096> block; file.read(block.data(), block.size()), file.gcount() > 0;) {
    text.append(block.data(), static_cast<std::size_t>(file.gcount()));
  }
  // A folder, and some files of sysfs, can be opened but not read.
  if (file.bad()) return std::nullopt;
  // Device-tree properties end in a zero byte, everything else in a line end.
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

}  // namespace cyclescope::os
