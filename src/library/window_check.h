// `doctor`'s look at a window of the core: a thread that shares the core halves it.
#pragma once

#include <optional>

#include "anatomy/watch_window.h"
#include "cyclescope/result/check.h"
#include "cyclescope/result/host.h"

namespace cyclescope::library {

// Takes about half a second. Unset where cores of this kind run one thread, or the look was not
// possible: the check 'neighbour' says what can be said then.
std::optional<Check> CheckWindow(const Host& host);

// Pure: what a look means.
Check JudgeWindow(const anatomy::WindowWatch& watch, int cpu);

}  // namespace cyclescope::library
