// A survey's document holds the forms it chose and, where it swept, the sweep's rows, which have
// the same forms again. Their origin tells them apart; in documents of version 0.1, which have
// none, the heading does.
#pragma once

#include <vector>

#include "result/document.h"

namespace cyclescope {

bool IsHeadline(const InstructionRow& row);

std::vector<InstructionRow> HeadlineRows(const Document& document);
// All others: of a sweep, or asked for by text.
std::vector<InstructionRow> OtherRows(const Document& document);

}  // namespace cyclescope
