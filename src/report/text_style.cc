#include "report/text_style.h"

#include <fmt/core.h>

#include <array>

namespace cyclescope {

std::string Paint(std::string_view text, Tint tint, const TextStyle& style) {
  // Select Graphic Rendition parameters (ECMA-48, 8.3.117), in the order of tints.
  constexpr std::array<int, 5> kParameters = {32, 36, 33, 2, 1};
  if (!style.color) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", kParameters[static_cast<std::size_t>(tint)], text);
}

}  // namespace cyclescope
