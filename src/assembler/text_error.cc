#include "assembler/text_error.h"

#include <fmt/core.h>

namespace cyclescope::assembler {

std::string TextError::Excerpt() const {
  if (line == 0) return "";
  // Tabs stay, so that the caret stands right whatever a tab's width is.
  std::string indent;
  for (std::size_t i = 0; i + 1 < column && i < source.size(); ++i) {
    indent.push_back(source[i] == '\t' ? '\t' : ' ');
  }
  return fmt::format("{}\n{}^", source, indent);
}

Error TextError::ToError() const {
  const std::string place = line == 0 ? "" : fmt::format("line {}, column {}: ", line, column);
  return {ErrorKind::kBadInput, place + message, hint};
}

}  // namespace cyclescope::assembler
