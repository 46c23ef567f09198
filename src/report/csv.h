// One field of a CSV file, quoted where it must be (RFC 4180).
#pragma once

#include <string>
#include <string_view>

namespace cyclescope {

std::string CsvField(std::string_view text);

}  // namespace cyclescope
