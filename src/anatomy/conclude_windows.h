// Rows of windows, from what the searches of all fillers found. Pure: no clock, no code.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "anatomy/step_search.h"
#include "arch/window_code.h"
#include "cyclescope/result/anatomy.h"

namespace cyclescope::anatomy {

// One filler: what the core shows while it is ours, and while it is shared.
struct WindowSearch {
  const arch::WindowFiller* filler = nullptr;
  StepSearch own;
  StepSearch shared;
  // Of the visits that gave `own` something: what their probes measured.
  std::vector<double> own_widths = {};
  int shared_visits = 0;  // those that gave `shared` more than `own`
  Status status = Status::kMeasured;
  std::string reason = {};

  bool CanGoOn() const { return status == Status::kMeasured; }
};

// What is known of the core itself.
struct SearchedCore {
  bool may_be_shared = true;  // cores of this kind run several threads
  bool has_witness = false;   // so that states of the core were told apart
  bool saw_larger = false;    // a larger window than was taken for the whole one at first
  std::function<bool(double width)> is_quiet;
};

// True if windows of two sizes were seen, so that the larger is the whole one.
bool SawBothSizes(std::span<const WindowSearch> searches, const SearchedCore& core);
// True if all that was seen may be of a core that was shared all the time.
bool MayBePart(std::span<const WindowSearch> searches, const SearchedCore& core);

// A row without a value: what would be measured, with the code of one filler after the other.
AnatomyRow PlannedRow(const arch::WindowFiller& filler);

// A row for each filler, in their order. The searches are those of `fillers`.
std::vector<AnatomyRow> ConcludeWindows(std::span<const arch::WindowFiller> fillers,
                                        std::span<const WindowSearch> searches,
                                        const SearchedCore& core);

}  // namespace cyclescope::anatomy
