#include "report/text_style.h"

#include <fmt/core.h>

#include <cstddef>
#include <utility>

namespace cyclescope {
namespace {

// Select Graphic Rendition parameters (ECMA-48, 8.3.117).
std::string_view Code(Tint tint) {
  switch (tint) {
    case Tint::kGood:
      return "32";
    case Tint::kNote:
      return "36";
    case Tint::kWarn:
      return "33";
    case Tint::kFaint:
      return "2";
    case Tint::kBold:
      return "1";
  }
  std::unreachable();
}

}  // namespace

std::string Paint(std::string_view text, Tint tint, const TextStyle& style) {
  if (!style.color) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", Code(tint), text);
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
