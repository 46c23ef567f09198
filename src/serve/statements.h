// The instructions of a text, one by one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cyclescope::serve {

// "1: imul rax, rcx; jne 1b  # again" is "imul rax, rcx" and "jne 1b": without labels, comments,
// directives and tabs, each as often as it is there.
std::vector<std::string> StatementsOf(std::string_view text, std::string_view architecture);

}  // namespace cyclescope::serve
