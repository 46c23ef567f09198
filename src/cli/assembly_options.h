// Options of the commands that measure code.
#pragma once

#include <CLI/CLI.hpp>

#include "assembler/text_error.h"
#include "library/code_settings.h"

namespace cyclescope::cli {

struct AssemblyOptions : library::CodeSettings {
  void AddTo(CLI::App& app);
};

// Message, line and caret on standard error.
void PrintTextError(const assembler::TextError& error);

}  // namespace cyclescope::cli
