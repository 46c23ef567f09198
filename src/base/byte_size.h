// Amounts of memory as people write them: "48 KB", "1.2 MB", "2 GB", in powers of 1,024.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cyclescope/base/error.h"

namespace cyclescope {

// Three digits at most.
std::string FormatBytes(double bytes);

// "65536", "64K", "64 KB", "1.5M", "2GB"; an error says what can be written.
Result<std::int64_t> ParseBytes(std::string_view text);

}  // namespace cyclescope
