// Warnings of a result that several parts of a run have.
#pragma once

#include <vector>

#include "result/document.h"

namespace cyclescope::library {

// Adds those that the document does not have yet: every CPU may have the same.
void AddWarnings(const std::vector<Warning>& found, std::vector<Warning>& warnings);

}  // namespace cyclescope::library
