// The page that web/src/serve builds, as a part of the program.
#pragma once

#include <string_view>

namespace cyclescope::serve {

std::string_view Page();

}  // namespace cyclescope::serve
