// What ends a program before it does anything: a mistake on its command line, or a wish for help.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/command.h"

namespace cyclescope::cli {

// Prints the help or version that was asked for, or what is wrong, with near names for what was
// mistyped.
ExitCode ExplainParseEnd(const CLI::App& root, const CLI::ParseError& error);

}  // namespace cyclescope::cli
