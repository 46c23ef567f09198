#include "base/input_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string_view>
#include <system_error>

namespace cyclescope {
namespace {

std::string Named(const std::string& path) {
  return path == "-" ? "standard input" : "'" + path + "'";
}

bool IsControl(char c) {
  constexpr std::string_view kOfText = "\t\n\v\f\r";
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && !kOfText.contains(c)) || byte == 0x7f;
}

}  // namespace

Result<std::string> ReadInput(const std::string& path) {
  const bool standard_input = path == "-";
  std::ifstream file;
  errno = 0;
  if (!standard_input) file.open(path);
  std::istream& input = standard_input ? std::cin : file;
  std::string text;
  std::array<char, 64 * 1024> part{};
  while (input.read(part.data(), part.size()) || input.gcount() > 0)
    text.append(part.data(), static_cast<std::size_t>(input.gcount()));
  // A directory opens like a file, and only reading shows that it is none.
  if (input.eof() && !input.bad()) input.clear();
  if (!input) {
    // Windows opens no folder, and calls that "Permission denied".
    const int open_error = errno;
    std::error_code ignored;
    const bool folder = std::filesystem::is_directory(path, ignored);
    return BadInput(fmt::format("cannot read {}: {}", Named(path),
                                std::strerror(folder ? EISDIR : open_error)));
  }
  return text;
}

Result<std::string> ReadSource(const std::string& path) {
  auto text = ReadInput(path);
  if (text && std::ranges::any_of(*text, IsControl)) {
    return BadInput(fmt::format("{} is not text: it holds control characters", Named(path)),
                    "assembly text is expected here");
  }
  return text;
}

}  // namespace cyclescope
