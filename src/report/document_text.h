// A whole result document as text: everything the HTML report says, for those who live in
// terminals.
#pragma once

#include <string>

#include "base/error.h"
#include "report/text_style.h"
#include "result/document.h"

namespace cyclescope {

struct DocumentTextOptions {
  bool full = false;  // every pair of every instruction with the code measured, every matrix
};

// Without `full`, many instructions are a line each, and a sweep is what became of its opcodes and
// where LLVM's model is wrong.
Result<std::string> DocumentText(const Document& document, const DocumentTextOptions& options,
                                 const TextStyle& style);

}  // namespace cyclescope
