// How the measuring of one row ended. A row that could not be measured is data: it keeps its status
// and a reason.
#pragma once

#include "cyclescope/result/names.h"

namespace cyclescope {

enum class Status {
  kMeasured,
  kDisturbed,     // measured, but too few samples survived to trust the value
  kUnsupported,   // this CPU or virtual machine does not offer it
  kPrivileged,    // only the kernel may execute it
  kCrashed,       // the worker died of it
  kTimeout,       // it did not come back in time
  kUnmeasurable,  // there is no experiment for it
  kPredicted,     // nothing was measured: a model of a core says what there is
};

constexpr auto NamesOf(Status) {
  return Names("measured", "disturbed", "unsupported", "privileged", "crashed", "timeout",
               "unmeasurable", "predicted");
}

}  // namespace cyclescope
