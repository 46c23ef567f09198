// What a shell needs to complete cyclescope's command line, made from the option table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/option_table.h"

namespace cyclescope::cli {

// Each is a script in the shell's own language.
std::string BashCompletion(const OptionTable& table);
std::string FishCompletion(const OptionTable& table);
std::string ZshCompletion(const OptionTable& table);

// In single quotes of a POSIX shell: `it's` to 'it'\''s'.
std::string ShellQuoted(std::string_view text);

}  // namespace cyclescope::cli
