// Reads latency matrices that other programs print, so that a machine can be compared with theirs:
//   - CSV as core-to-core-latency (by Nicolas Viennot) writes it, a line per CPU:
//       ,,
//       44.1,,
//       45.0,43.9,
//   - text with CPU numbers along both edges and blanks between, as that program and older ones
//     print it;
//   - what `cyclescope cores --export-csv` writes, in either shape.
// Lines of words above and below the numbers are skipped.
#pragma once

#include <string_view>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"

namespace cyclescope {

// Nanoseconds one way; empty cells and "nan" where nothing was measured. One triangle stands for
// both directions; several matrices of one size below each other are samples, of which each pair's
// median counts. The document holds a CoreMatrix (one for each test of an export) and says that
// nothing is known about the machine: such a file does not tell.
Result<Document> ParseCsvMatrix(std::string_view text, std::string_view file_name);

}  // namespace cyclescope
