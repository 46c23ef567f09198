// The result document that every command begins with.
#pragma once

#include <CLI/CLI.hpp>

#include "base/error.h"
#include "cli/options.h"
#include "result/document.h"

namespace cyclescope::cli {

// Host and topology (from the file, where one is given) and what was asked for.
Result<Document> StartDocument(const CLI::App& command, const TopologyOption& topology);

}  // namespace cyclescope::cli
