// A survey's document holds the forms it chose first, each with a heading, and then the sweep's
// rows, which have the same forms again. Other documents hold rows without headings only.
#pragma once

#include <span>

#include "result/document.h"

namespace cyclescope {

std::span<const InstructionRow> HeadlineRows(const Document& document);
std::span<const InstructionRow> RowsWithoutHeading(const Document& document);

}  // namespace cyclescope
