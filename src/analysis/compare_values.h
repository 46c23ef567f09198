// The values of several documents, brought together by what they are the values of. Private to
// compare.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/compare.h"

namespace cyclescope {

// Every value of that kind that any of the documents has, with one place per document, in the order
// in which the documents list them. Changes are still empty.
std::vector<ComparedValue> GatherValues(ValueKind kind, std::span<const Document> documents);

// What caches hold, as values to compare.
struct NamedEstimate {
  std::string name;  // "L2 from CPU 3"
  ComparedEstimate estimate;
};

// In KB, of every level of the document's caches that ends. Nothing is concluded from an end that
// is not clear, that runs into the next level's, or that others' work moves; nor where the
// documents do not agree about the number of levels, since a name then means another cache.
std::vector<NamedEstimate> CapacitiesOf(const Document& document,
                                        std::span<const Document> documents);

}  // namespace cyclescope
