// The manual page and the shells' completions, made from the option table. The build asks the
// program for them, by options that no help shows.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "cli/option_table.h"

namespace cyclescope::cli {

// `--print-manual` and `--print-completion SHELL`. Call it when `root` has all its commands.
void AddSelfDescription(CLI::App& root);

// The manual page, in man(7)'s macros.
std::string ManualPage(const OptionTable& table, std::string_view version);

// What a shell needs to complete the command line: each is a script in its own language.
std::string BashCompletion(const OptionTable& table);
std::string FishCompletion(const OptionTable& table);
std::string ZshCompletion(const OptionTable& table);

// In single quotes of a POSIX shell: `it's` to 'it'\''s'.
std::string ShellQuoted(std::string_view text);

}  // namespace cyclescope::cli
