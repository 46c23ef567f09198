// `--export-ports FILE` and `--export-llvm FILE`: what was measured of a core, as other programs
// read it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/outputs.h"
#include "cyclescope/base/error.h"
#include "cyclescope/measure.h"

namespace cyclescope::cli {

void AddPortExportOption(CLI::App& app, std::string& path);
void AddLlvmExportOption(CLI::App& app, std::string& path);

// The format follows from the end of the file's name.
Result<PortFormat> PortFormatOf(const std::string& path);
// A scheduling model for LLVM, named after the file.
Result<std::string> ToLlvm(const Document& document, const std::string& path);

// The file is written with the others; nothing where the path is empty.
Result<void> AddPortExport(Outputs& outputs, const std::string& path);
Result<void> AddLlvmExport(Outputs& outputs, const std::string& path);

}  // namespace cyclescope::cli
