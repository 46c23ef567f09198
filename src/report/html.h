// Results as one HTML page that holds all it needs, to be looked at in a browser without a network.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"

namespace cyclescope {

// The report of one result, or of several with their comparison. Text of the documents goes into
// the page as data only: whatever it holds, no browser takes it for markup or script.
Result<std::string> ToHtml(std::span<const Document> documents);

// ---- The pages that web/ builds, as part of the program, and how data get into them.

// One result, or several and their comparison.
std::string_view HtmlTemplate();
// The first page of a site.
std::string_view SiteTemplate();

// The page with its data, which is JSON.
std::string PageWith(std::string_view page_template, std::string_view data);

}  // namespace cyclescope
