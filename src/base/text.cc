#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

namespace cyclescope {

std::string_view Trimmed(std::string_view text, std::string_view blanks) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::string_view TakeLine(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::string FormatRanges(std::span<const int> ascending) {
  std::string text;
  for (std::size_t i = 0; i < ascending.size();) {
    std::size_t end = i + 1;
    while (end < ascending.size() && ascending[end] == ascending[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += end - i == 1 ? fmt::format("{}", ascending[i])
                         : fmt::format("{}-{}", ascending[i], ascending[end - 1]);
    i = end;
  }
  return text;
}

std::string Printable(std::string_view text) {
  std::string printable;
  printable.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F, in UTF-8 c2 80 to c2 9f, are control characters too.
    const bool second_set =
        byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (second_set) ++i;
    printable += second_set || byte < ' ' || byte == 0x7f ? '?' : text[i];
  }
  return printable;
}

}  // namespace cyclescope
