// Documents in few bytes, for pages and files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cyclescope/base/error.h"

namespace cyclescope {

// A text in few letters: compressed as zlib does, then as base64. Browsers unpack it themselves
// (`DecompressionStream`).
std::string Packed(std::string_view text);

// A file as gzip writes it: `model.json.gz`.
std::string Gzipped(std::string_view text);
bool IsGzipped(std::string_view bytes);
// All of its text; an error where it is damaged, or has more than `most_bytes`.
Result<std::string> Gunzipped(std::string_view bytes, std::string_view file_name,
                              std::size_t most_bytes = std::size_t{1} << 30);

}  // namespace cyclescope
