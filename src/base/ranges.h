// Ascending numbers in a few characters.
#pragma once

#include <span>
#include <string>

namespace cyclescope {

// {0, 1, 2, 3, 8} to "0-3,8".
std::string FormatRanges(std::span<const int> ascending);

}  // namespace cyclescope
