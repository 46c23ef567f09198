// Cores whose structure is known, made up: all that `cyclescope anatomy` may find, and little of
// it.
#pragma once

#include "cyclescope/result/document.h"

namespace cyclescope::testing {

// Every field of the part, set to something else than its default.
Anatomy FullAnatomy();

// A core like Golden Cove, with its ports, its caches and its neighbours.
Document AnatomyDocument();

// A core of which only windows were looked for: some have bounds, some show nothing clear, and
// fillers disagree.
Document WindowsDocument();

}  // namespace cyclescope::testing
