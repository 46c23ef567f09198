// Reads the bare latency matrices that people publish: what core-to-core-latency (by Nicolas
// Viennot) prints with --csv, so that a machine can be held against theirs.
//
//   ,,
//   44.1,,
//   45.0,43.9,
#pragma once

#include <string_view>

#include "base/error.h"
#include "result/document.h"

namespace cyclescope {

// One line per CPU, nanoseconds one way, empty cells where nothing was measured, no header. The
// lower triangle alone stands for both directions. The document holds one CoreMatrix and says that
// nothing is known about the machine: such a file does not tell.
Result<Document> ParseCsvMatrix(std::string_view text, std::string_view file_name);

}  // namespace cyclescope
