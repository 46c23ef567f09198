// Results as one HTML page that holds all it needs, to be looked at in a browser without a network.
#pragma once

#include <span>
#include <string>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"

namespace cyclescope {

// The report of one result, or of several with their comparison. Text of the documents goes into
// the page as data only: whatever it holds, no browser takes it for markup or script.
Result<std::string> ToHtml(std::span<const Document> documents);

}  // namespace cyclescope
