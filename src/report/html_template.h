// The pages that web/ builds, as part of the program, and how data get into them. Private to the
// HTML reports.
#pragma once

#include <string>
#include <string_view>

namespace cyclescope {

// One result, or several and their comparison.
std::string_view HtmlTemplate();
// The first page of a site.
std::string_view SiteTemplate();

// The page with its data, which is JSON.
std::string PageWith(std::string_view page_template, std::string_view data);

}  // namespace cyclescope
