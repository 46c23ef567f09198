// Results as Markdown, for issues, wikis and commit messages.
#pragma once

#include <string>

#include "cyclescope/result/document.h"

namespace cyclescope {

// The machine, and a table each of the instructions, the snippets and the latencies between cores
// that the document holds. Whatever a text holds, it stays within its cell.
std::string ToMarkdown(const Document& document);

}  // namespace cyclescope
