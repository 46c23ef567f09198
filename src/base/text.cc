#include "base/text.h"

#include <algorithm>
#include <cstddef>

namespace cyclescope {

std::string_view Trimmed(std::string_view text, std::string_view blanks) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
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
