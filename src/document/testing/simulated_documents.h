// Documents that tests make up: no machine was measured for them.
#pragma once

#include "cyclescope/result/document.h"

namespace cyclescope::testing {

// Only the common part.
Document BareDocument();

// Every section, and every field set to something other than its default.
Document FullDocument();

// An estimate of `value` with an interval of `half_width` on either side.
Estimate SimulatedEstimate(double value, double half_width);

// An estimate with everything that may be said against it.
Estimate RoughEstimate(double value);

// A core whose ports are known: a map, instructions, and a snippet with its pressure.
Document PortsDocument();

// All that `cyclescope anatomy` may find: every field of the part, set to something other than its
// default.
Anatomy FullAnatomy();

// A core like Golden Cove, with its ports, its caches and its neighbours.
Document AnatomyDocument();

// A core of which only windows were looked for: some have bounds, some show nothing clear, and
// fillers disagree.
Document WindowsDocument();

}  // namespace cyclescope::testing
