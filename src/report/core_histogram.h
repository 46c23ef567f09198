// How visits, or pairs, spread over the latencies, as bars, with the levels that they fall into.
#pragma once

#include <string>

#include "report/core_unit.h"
#include "report/text_style.h"
#include "result/cores.h"

namespace cyclescope {

// Of the matrix's spectrum, in nanoseconds, where it has one; else of its values in that unit.
// Empty where there are too few for a shape.
std::string CoreHistogramText(const CoreMatrix& matrix, const CoreScale& scale,
                              const TextStyle& style);

}  // namespace cyclescope
