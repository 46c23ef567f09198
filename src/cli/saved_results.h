// Result documents that earlier runs left in files.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "result/document.h"

namespace cyclescope::cli {

// Each a result document, or the matrix of another core-to-core tool (CSV or text), which is then
// interpreted; `-` is standard input.
Result<std::vector<Document>> ReadResults(const std::vector<std::string>& paths);

}  // namespace cyclescope::cli
