// The footprints of `memory` as CSV, a line for each.
#pragma once

#include <string>
#include <vector>

#include "result/memory.h"

namespace cyclescope {

std::string MemoryCsv(const std::vector<MemoryRow>& rows);

}  // namespace cyclescope
