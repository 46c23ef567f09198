// Which flags the page may give a compiler: those that say how to compile, and none that name
// files, programs or other parts to run. The compiler is confined anyway
// (sandbox/confined_program.h); this gives a clear answer instead of a strange one.
#pragma once

#include <string>
#include <vector>

#include "cyclescope/base/error.h"

namespace cyclescope::serve {

Result<void> CheckFlags(const std::vector<std::string>& flags);

}  // namespace cyclescope::serve
