// How a caller follows long work, and ends it early.
//
//   MeasureSweep(request, [&](const Progress& at) { Show(at.done, at.total); return !stop; });
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "cyclescope/result/cores.h"
#include "cyclescope/result/instruction.h"

namespace cyclescope {

struct Progress {
  std::size_t done = 0;
  std::size_t total = 0;
  // What is under way: "frequency", "instructions", "snippets", "sweep", "port map", "ports",
  // "memory", or a test of `cores`; empty while it is being prepared.
  std::string_view part;
  const CoreMatrix* matrix = nullptr;   // what is measured of it so far, when a pair was added
  const InstructionRow* row = nullptr;  // the row just measured, when the step was one
};

// Called before the first step of a part, after each step (the last one too), and several times a
// second within a long step; by one thread at a time, which need not be the caller's. When it
// returns false, work ends at once with what there is, and the result says that it is partial. None
// given: work runs to its end.
using OnProgress = std::function<bool(const Progress& progress)>;

}  // namespace cyclescope
