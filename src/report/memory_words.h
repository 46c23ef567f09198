// Findings about caches and memory in words.
#pragma once

#include <string>

#include "result/memory.h"

namespace cyclescope {

// "L2 ends at 1.2 MB, the system says 2 MB: ..."
std::string FindingText(const MemoryFinding& finding);

}  // namespace cyclescope
