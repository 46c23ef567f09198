// A whole result document as text: everything the HTML report says, for those who live in
// terminals.
#pragma once

#include <string>

#include "base/error.h"
#include "report/text_style.h"
#include "result/document.h"

namespace cyclescope {

Result<std::string> DocumentText(const Document& document, const TextStyle& style);

}  // namespace cyclescope
