// The part of the result document that every command begins with: tool, host, configuration.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/error.h"
#include "cli/options.h"
#include "result/document.h"

namespace cyclescope::cli {

Tool DescribeTool();

// "cyclescope 0.1.0 (commit, compiler, LLVM)"
std::string VersionText();

// Host and topology (from the file, where one is given) and what was asked for.
Result<Document> StartDocument(const CLI::App& command, const TopologyOption& topology);

}  // namespace cyclescope::cli
