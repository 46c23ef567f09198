// Text from anywhere: without blanks around it, or harmless for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace cyclescope {

std::string_view Trimmed(std::string_view text, std::string_view blanks = " \t\r\n");

// The text with control characters replaced by '?': result documents come from anywhere, and a
// terminal obeys what they may hold.
std::string Printable(std::string_view text);

}  // namespace cyclescope
