// The rows of instructions, value by value. Private to merge.
#pragma once

#include "merge/merge_rows.h"

namespace cyclescope::merge {

// Instructions, the summary of the sweep and the port map. Ports are names in one map: they all
// come from the run whose map is taken.
void MergeInstructions(const Runs& runs, Provenance& provenance, Document& whole);

}  // namespace cyclescope::merge
