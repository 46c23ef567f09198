// The part of the result document that every run begins with: tool, host, configuration.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"

namespace cyclescope::library {

// What this machine offers to programs, in the kernel's words.
std::vector<std::string> HostFeatures();

// Host, topology (from an hwloc XML file, where one is given), and when it was.
Result<Document> StartDocument(std::string_view command, const std::string& topology = {});

}  // namespace cyclescope::library
