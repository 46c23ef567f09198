// Where overlaps come from: a worker, or a simulated core in tests.
#pragma once

#include <span>

#include "anatomy/overlap.h"
#include "arch/window_code.h"
#include "cyclescope/base/error.h"

namespace cyclescope::anatomy {

class OverlapSource {
 public:
  virtual ~OverlapSource() = default;

  // One look at these numbers of fillers. An error says why this CPU does not run the code.
  virtual Result<OverlapVisit> Visit(const arch::WindowFiller& filler,
                                     std::span<const int> fillers) = 0;
};

}  // namespace cyclescope::anatomy
