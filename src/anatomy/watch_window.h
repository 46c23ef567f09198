// Whether a core's windows are whole: a thread that shares the core takes a part of them. A short
// look at one window, for people who want to know what they were given.
//
//   const auto watch = WatchWindow(filler, source, visits);
//   if (watch && watch->part) Say(watch->whole, *watch->part, watch->part_share);
#pragma once

#include <optional>
#include <span>

#include "anatomy/overlap_source.h"
#include "cyclescope/base/error.h"
#include "statistics/statistics.h"

namespace cyclescope::anatomy {

// Sizes are numbers of entries, between two numbers that were tried.
struct WindowWatch {
  statistics::Interval whole;  // the largest size that repeats
  // The middle of the sizes that are far smaller, where they repeat.
  std::optional<statistics::Interval> part;
  double part_share = 0;  // of all looks
};

// Pure: from the sizes that single looks showed. Unset where no size repeats.
std::optional<WindowWatch> ReadWindowWatch(std::span<const statistics::Interval> sizes);

Result<std::optional<WindowWatch>> WatchWindow(const arch::WindowFiller& filler,
                                               OverlapSource& source, int visits);

}  // namespace cyclescope::anatomy
