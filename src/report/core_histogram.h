// How the pairs of a matrix spread over the latencies, as bars.
#pragma once

#include <string>

#include "report/core_unit.h"
#include "report/text_style.h"
#include "result/cores.h"

namespace cyclescope {

// Empty where there are too few pairs for a shape.
std::string CoreHistogramText(const CoreMatrix& matrix, const CoreScale& scale,
                              const TextStyle& style);

}  // namespace cyclescope
