// A whole scheduling model for LLVM, of what was measured of a core: `SchedMachineModel` with its
// width, buffer and penalties, resources, and a line for each form that says where its numbers come
// from.
#pragma once

#include <string>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"

namespace cyclescope {

// `name` begins the names of all that the model defines. Fails where the result has no ports.
Result<std::string> LlvmModel(const Document& document, const std::string& name);

// "graviton3" for "models/graviton3.td".
std::string LlvmModelName(const std::string& path);

}  // namespace cyclescope
