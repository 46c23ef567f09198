// Fields of a CSV file, quoted where it must be (RFC 4180).
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cyclescope {

std::string CsvField(std::string_view text);
// All of a row, with its line break.
std::string CsvLine(std::span<const std::string> fields);

}  // namespace cyclescope
