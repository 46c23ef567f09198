// Documents that tests make up: no machine was measured for them.
#pragma once

#include "cyclescope/result/document.h"

namespace cyclescope::testing {

// Only the common part.
Document BareDocument();

// Every section, and every field set to something else than its default.
Document FullDocument();

// An estimate of `value` with an interval of `half_width` on either side.
Estimate MadeEstimate(double value, double half_width);

// An estimate with everything that may be said against it.
Estimate RoughEstimate(double value);

}  // namespace cyclescope::testing
