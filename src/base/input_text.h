// Text that a user gives by the name of a file.
#pragma once

#include <cstddef>
#include <string>

#include "cyclescope/base/error.h"

namespace cyclescope {

// The whole file, or all of standard input for `-`; an error where it has more, as endless ones do.
Result<std::string> ReadInput(const std::string& path,
                              std::size_t most_bytes = std::size_t{1} << 30);

// The same of what must be text, with "\n" at the end of each line and no byte order mark: a
// program or another file with control characters outside comments is refused, and so are more
// than 64 MB.
Result<std::string> ReadSource(const std::string& path);

}  // namespace cyclescope
