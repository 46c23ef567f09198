// Result documents that earlier runs left in files.
#pragma once

#include <string>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"

namespace cyclescope::cli {

// One result document, as it stands in the file; `-` is standard input.
Result<Document> ReadResult(const std::string& path);

// The last result in the folder, by when it was started, and the last one before it that the same
// command left: the older first. An error where there are no two.
Result<std::vector<std::string>> FindLastTwoResults(const std::string& folder);

}  // namespace cyclescope::cli
