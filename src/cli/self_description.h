// Options that no help shows: the build asks the program for its manual and completions.
#pragma once

#include <CLI/CLI.hpp>

namespace cyclescope::cli {

// `--print-manual` and `--print-completion SHELL`. Call it when `root` has all its commands.
void AddSelfDescription(CLI::App& root);

}  // namespace cyclescope::cli
