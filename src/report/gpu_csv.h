// The instructions of `gpu` as CSV, a line for each pair of operands.
#pragma once

#include <string>
#include <vector>

#include "result/gpu.h"

namespace cyclescope {

std::string GpuCsv(const std::vector<GpuRow>& rows);

}  // namespace cyclescope
