#include "base/printable.h"

#include <cstddef>

namespace cyclescope {

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
