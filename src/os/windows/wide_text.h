// Windows speaks UTF-16, we speak UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace cyclescope::os {

std::wstring ToWide(std::string_view text);
std::string ToUtf8(std::wstring_view text);

// "Access is denied": what the system says of one of its error numbers (GetLastError).
std::string WindowsMessage(unsigned long error);

}  // namespace cyclescope::os
