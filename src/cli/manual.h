// The manual page, made from the option table.
#pragma once

#include <string>
#include <string_view>

#include "cli/option_table.h"

namespace cyclescope::cli {

// In man(7)'s macros.
std::string ManualPage(const OptionTable& table, std::string_view version);

}  // namespace cyclescope::cli
