// The windows of a core: a search for each filler, in rounds over all of them, so that visits to
// one of them lie apart in time. Beside every visit a witness tells whether the core was ours alone
// (sharing.h); each filler has a search for either state.
//
//   std::vector<AnatomyRow> rows = FindWindows(arch::WindowFillers(), features, {}, source);
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "anatomy/neighbour.h"
#include "anatomy/overlap_source.h"
#include "base/work.h"
#include "cyclescope/result/anatomy.h"

namespace cyclescope::anatomy {

struct WindowSettings {
  int most_fillers = 1200;
  int confirmations = 4;  // see StepSearch
  std::chrono::nanoseconds most_time = std::chrono::seconds(12);
  bool may_be_shared = true;  // cores of this kind run several threads
  // Little time: one filler after the other instead of all in turn, so that the first ones come to
  // an end at least.
  bool one_by_one = false;
  // For each CPU that may be on the same core. Where one is, what the core is like when shared is
  // found without waiting for others.
  std::vector<RunOnOtherCpu> neighbours = {};
};

// A row for each filler, in their order. `goes_on` is asked between visits.
std::vector<AnatomyRow> FindWindows(std::span<const arch::WindowFiller> fillers,
                                    const std::vector<std::string>& features,
                                    const WindowSettings& settings, OverlapSource& source,
                                    const GoesOn& goes_on = {});

}  // namespace cyclescope::anatomy
