// Forms whose opcode has another one in a sweep, which has one form for each, and which take
// another time than that one. Text is in the architecture's own syntax (Intel's on x86-64).
#pragma once

#include <span>
#include <string_view>

namespace cyclescope::arch {

std::span<const std::string_view> FormVariants();

}  // namespace cyclescope::arch
