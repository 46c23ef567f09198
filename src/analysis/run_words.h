// How a result came about, in words.
#pragma once

#include <string>

#include "cyclescope/result/document.h"

namespace cyclescope {

// The command as it can be given again: "cyclescope block 'add rax, rbx' --unroll 8".
std::string CommandText(const Config& config);

}  // namespace cyclescope
