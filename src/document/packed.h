// Documents in few bytes, for pages.
#pragma once

#include <string>
#include <string_view>

namespace cyclescope {

// A text in few letters: compressed as zlib does, then as base64. Browsers unpack it themselves
// (`DecompressionStream`).
std::string Packed(std::string_view text);

}  // namespace cyclescope
