// Snippets as CSV: a line for each.
#pragma once

#include <string>
#include <vector>

#include "result/instruction.h"

namespace cyclescope {

std::string BlocksCsv(const std::vector<BlockRow>& rows);

}  // namespace cyclescope
