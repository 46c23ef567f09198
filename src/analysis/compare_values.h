// The values of several documents, brought together by what they are the values of. Private to
// compare.
#pragma once

#include <span>
#include <vector>

#include "analysis/compare.h"

namespace cyclescope {

// Every value of that kind that any of the documents has, with one place per document, in the order
// in which the documents list them. Changes are still empty.
std::vector<ComparedValue> GatherValues(ValueKind kind, std::span<const Document> documents);

}  // namespace cyclescope
