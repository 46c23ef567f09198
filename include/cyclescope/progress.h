// How a caller follows long work, and ends it early.
#pragma once

#include <cstddef>
#include <functional>

#include "cyclescope/result/cores.h"

namespace cyclescope {

struct Progress {
  std::size_t done = 0;
  std::size_t total = 0;
};

// Called before the first step and after each; when it returns false, work ends with what there is,
// and the result says that it is partial. None given: work runs to its end.
using OnProgress = std::function<bool(Progress progress)>;

// The same for a matrix, of which it sees what is measured so far.
using OnMatrixProgress = std::function<bool(const CoreMatrix& so_far, Progress progress)>;

}  // namespace cyclescope
