// Documents as JSON: the form that docs/schema.md describes.
#pragma once

#include <string>
#include <string_view>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"

namespace cyclescope {

// Values that are not finite become null, and text that is not UTF-8 gets U+FFFD in place of what
// cannot be read: a document can always be written.
std::string ToJson(const Document& document);

// Unknown fields are ignored, so that a newer writer may add some. A missing or wrong one is an
// error that names it and `file_name`. Whatever the text holds, the answer is a Document or an
// Error.
Result<Document> ParseJson(std::string_view text, std::string_view file_name);

}  // namespace cyclescope
