// `report --filter`: the rows of a result that a reader asks for.
#pragma once

#include <cstddef>

#include "base/form_filter.h"
#include "cyclescope/result/document.h"

namespace cyclescope {

// Takes the other instructions out of the document; those of a sweep then count as left out. How
// many are left.
std::size_t KeepInstructions(const FormFilter& filter, Document& document);

}  // namespace cyclescope
