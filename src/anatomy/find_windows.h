// The windows of a core: a search for each filler, in rounds over all of them, so that visits to
// one of them lie apart in time.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "anatomy/overlap_source.h"
#include "cyclescope/result/anatomy.h"

namespace cyclescope::anatomy {

struct WindowSettings {
  int most_fillers = 1200;
  int confirmations = 4;  // see StepSearch
  // A core that is always shared is given up after so many visits to a filler, beside those that
  // find the size while it is shared.
  int most_visits = 40;
};

// A row without a value: what would be measured, with the code of one filler after the other.
AnatomyRow PlannedRow(const arch::WindowFiller& filler);

// Asked between visits; false ends it with what there is.
using GoesOn = std::function<bool()>;

// A row for each filler that this CPU has the features for, in their order.
std::vector<AnatomyRow> FindWindows(std::span<const arch::WindowFiller> fillers,
                                    const std::vector<std::string>& features,
                                    const WindowSettings& settings, OverlapSource& source,
                                    const GoesOn& goes_on = {});

}  // namespace cyclescope::anatomy
