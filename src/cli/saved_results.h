// Result documents that earlier runs left in files.
#pragma once

#include <string>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"

namespace cyclescope::cli {

// One result document, as it stands in the file.
Result<Document> ReadResult(const std::string& path);

// Each a result document, or the matrix of another core-to-core tool (CSV or text), which is then
// interpreted; `-` is standard input.
Result<std::vector<Document>> ReadResults(const std::vector<std::string>& paths);

// The last result in the folder, by when it was started, and the last one before it that the same
// command left: the older first. An error where there are no two.
Result<std::vector<std::string>> FindLastTwoResults(const std::string& folder);

}  // namespace cyclescope::cli
