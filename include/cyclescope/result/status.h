// How the measuring of one row ended. A row that could not be measured is data: it keeps its status
// and a reason.
#pragma once

#include <optional>
#include <string_view>

namespace cyclescope {

enum class Status {
  kMeasured,
  kDisturbed,     // measured, but too few samples survived to vouch for the value
  kUnsupported,   // this CPU or virtual machine does not offer it
  kPrivileged,    // only the kernel may execute it
  kCrashed,       // the worker died of it
  kTimeout,       // it did not come back in time
  kUnmeasurable,  // there is no experiment for it
};

// "measured", "disturbed", ... as in the result document.
std::string_view ToString(Status status);
std::optional<Status> ParseStatus(std::string_view name);

}  // namespace cyclescope
