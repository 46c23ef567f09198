// Another program's output, where that program is installed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cyclescope/base/error.h"

namespace cyclescope::os {

// Runs `program` (looked up in PATH) with these arguments and the name of a file that holds
// `contents`, and returns what it prints. It gets ten seconds.
Result<std::string> RunProgramOn(const std::string& program,
                                 const std::vector<std::string>& arguments,
                                 std::string_view contents);

}  // namespace cyclescope::os
