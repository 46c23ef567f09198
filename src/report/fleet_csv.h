// A fleet as CSV: a line per node and value that decides, or one for a node that has none.
#pragma once

#include <string>

#include "result/fleet.h"

namespace cyclescope {

std::string FleetCsv(const Fleet& fleet);

}  // namespace cyclescope
