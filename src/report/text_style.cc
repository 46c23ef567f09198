#include "report/text_style.h"

#include <fmt/core.h>

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

}  // namespace cyclescope
