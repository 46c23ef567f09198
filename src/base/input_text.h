// Text that a user gives by the name of a file.
#pragma once

#include <string>

#include "cyclescope/base/error.h"

namespace cyclescope {

// The whole file, or all of standard input for `-`.
Result<std::string> ReadInput(const std::string& path);

// The same of what must be text: a program or another file with control characters is refused.
Result<std::string> ReadSource(const std::string& path);

}  // namespace cyclescope
