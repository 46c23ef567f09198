// `--export-llvm FILE`, of the commands whose results are a model of a core.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/outputs.h"
#include "cyclescope/base/error.h"

namespace cyclescope::cli {

void AddLlvmExportOption(CLI::App& app, std::string& path);

// What the file is to hold; named after the file.
Result<std::string> ToLlvm(const Document& document, const std::string& path);

// The file is written with the others; nothing where the path is empty.
Result<void> AddLlvmExport(Outputs& outputs, const std::string& path);

}  // namespace cyclescope::cli
