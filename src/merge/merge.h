// Several runs of one machine as one document.
//
//   Result<Document> whole = MergeRuns(documents);
//
// Values that several runs have are combined by their intervals (statistics/combine_runs.h); what
// only makes sense as a whole, such as a port map, comes from the best run, and `merged` says from
// which. docs/methodology/merge.md has the rules.
#pragma once

#include <span>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"

namespace cyclescope::merge {

// Takes at least two runs. An error where they are not of one kind of CPU, or their intervals not
// of one confidence.
Result<Document> MergeRuns(std::span<const Document> runs);

}  // namespace cyclescope::merge
