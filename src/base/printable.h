// Text from anywhere, made harmless for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace cyclescope {

// The text with control characters replaced by '?': result documents come from anywhere, and a
// terminal obeys what they may hold.
std::string Printable(std::string_view text);

}  // namespace cyclescope
