// The part of the result document that every run begins with: tool, host, configuration.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "result/document.h"

namespace cyclescope::library {

Tool DescribeTool();

// "cyclescope 0.1.0 (commit, architecture, compiler, LLVM)"
std::string VersionText();

// Host, topology (from an hwloc XML file, where one is given), and when it was.
Result<Document> StartDocument(std::string_view command,
                               const std::optional<std::filesystem::path>& topology = {});

}  // namespace cyclescope::library
