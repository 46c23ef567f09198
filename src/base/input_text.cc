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

// Without the mark that some editors put before UTF-8, and with "\n" at the end of each line.
std::string WithUnixLines(std::string text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  std::string lines;
  lines.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r')
      lines += text[i];
    else if (i + 1 == text.size() || text[i + 1] != '\n')
      lines += '\n';
  }
  return lines;
}

// Clang says in comments which character a byte of debug information would be: `.byte 7 # ^G`.
void MaskCommentedControls(std::string& text) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    const std::size_t comment = std::min(line.find('#'), line.find("//"));
    for (std::size_t i = comment; i < line.size(); ++i) {
      if (IsControl(text[begin + i])) text[begin + i] = '?';
    }
    begin = end + 1;
  }
}

}  // namespace

Result<std::string> ReadInput(const std::string& path, std::size_t most_bytes) {
  const bool standard_input = path == "-";
  std::ifstream file;
  errno = 0;
  if (!standard_input) file.open(path);
  std::istream& input = standard_input ? std::cin : file;
  std::string text;
  std::array<char, 64 * 1024> part{};
  while (input.read(part.data(), part.size()) || input.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(input.gcount()));
    if (text.size() > most_bytes)
      return BadInput(fmt::format("{} has more than {} MB", Named(path), most_bytes >> 20));
  }
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
  constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  auto text = ReadInput(path, kMostBytes);
  if (text) {
    *text = WithUnixLines(std::move(*text));
    MaskCommentedControls(*text);
  }
  if (text && std::ranges::any_of(*text, IsControl)) {
    return BadInput(fmt::format("{} is not text: it holds control characters", Named(path)),
                    "assembly text is expected here");
  }
  return text;
}

}  // namespace cyclescope
