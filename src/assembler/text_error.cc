#include "assembler/text_error.h"

#include <fmt/core.h>

#include <algorithm>

namespace cyclescope::assembler {

std::string TextError::Excerpt() const {
  if (line == 0) return "";
  // Of a long line, what is around the place.
  constexpr std::size_t kBefore = 60;
  constexpr std::size_t kMaxLineLength = 100;
  const std::size_t place = std::min(column == 0 ? 0 : column - 1, source.size());
  const std::size_t first = source.size() > kMaxLineLength && place > kBefore ? place - kBefore : 0;
  const std::size_t last = std::min(first + kMaxLineLength, source.size());
  std::string shown = first > 0 ? "..." : "";
  // Tabs stay, so that the caret stands right whatever a tab's width is.
  std::string indent(shown.size(), ' ');
  for (std::size_t i = first; i < last; ++i) {
    const auto byte = static_cast<unsigned char>(source[i]);
    const bool is_control = (byte < 0x20 && byte != '\t') || byte == 0x7f;
    shown.push_back(is_control ? '?' : source[i]);
    if (i < place) indent.push_back(byte == '\t' ? '\t' : ' ');
  }
  if (last < source.size()) shown += "...";
  return fmt::format("{}\n{}^", shown, indent);
}

Error TextError::ToError() const {
  const std::string place = line == 0 ? "" : fmt::format("line {}, column {}: ", line, column);
  return {ErrorKind::kBadInput, place + message, hint};
}

}  // namespace cyclescope::assembler
