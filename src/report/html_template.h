// The page that web/ builds, as part of the program. Private to the HTML report.
#pragma once

#include <string_view>

namespace cyclescope {

std::string_view HtmlTemplate();

}  // namespace cyclescope
