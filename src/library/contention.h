// How much of the time our cores were shared: what watching them told, for the document.
#pragma once

#include <chrono>

#include "measure/core_watch.h"
#include "result/document.h"

namespace cyclescope::library {

// Replaces the entries of the CPUs that were watched. `waited` is added to what other parts and
// jobs of the run waited.
void DescribeContention(const measure::CoreWatch& watch, std::chrono::nanoseconds waited,
                        Document& document);

// Counts the rows that a neighbour bent, and warns if there are some: to be called when all rows
// are in the document.
void WarnOfContention(Document& document);

}  // namespace cyclescope::library
