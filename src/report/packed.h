// A text in few letters, for the page: compressed as zlib does, then as base64. Browsers unpack it
// themselves (`DecompressionStream`).
#pragma once

#include <string>
#include <string_view>

namespace cyclescope {

std::string Packed(std::string_view text);

}  // namespace cyclescope
