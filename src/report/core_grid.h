// The matrix itself, as people know it: CPU numbers along both edges, whole numbers, an empty
// diagonal.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/core_unit.h"
#include "cyclescope/result/cores.h"
#include "report/text_style.h"

namespace cyclescope {

// Columns that the widest line takes at least; it is wider where the style has room.
std::size_t CoreGridWidth(const CoreMatrix& matrix, const CoreScale& scale);

// A heat map where the style has colour. Disturbed values bear a '*', pairs that did not answer
// a '!'; a line below says so. Cells not measured yet are empty, so that the same text serves while
// the matrix is filled.
std::string CoreGridText(const CoreMatrix& matrix, const CoreScale& scale, const TextStyle& style);

}  // namespace cyclescope
