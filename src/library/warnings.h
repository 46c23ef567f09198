// Warnings of a result that several parts of a run have.
#pragma once

#include <vector>

#include "result/document.h"

namespace cyclescope::library {

// Adds those that the document does not have yet: every CPU may have the same.
void AddWarnings(const std::vector<Warning>& found, std::vector<Warning>& warnings);

// The clock that was used last, and what is to be said of it. Both replace those of an earlier part
// of the run, so that a document has one verdict of the self-check.
void DescribeClock(Clock clock, const std::vector<Warning>& warnings, Document& document);

}  // namespace cyclescope::library
