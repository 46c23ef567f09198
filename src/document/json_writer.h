// The result document as JSON, in the form that docs/schema.md describes.
//
//   std::string text = ToJson(document);
//
// One row stands on one line, so that `grep` and `diff` are of use on a saved document. Sections
// that hold nothing are left out; so are fields whose value is the reader's default (false, an
// empty text, an index the system does not tell).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cyclescope/json.h"  // ToJson
#include "cyclescope/result/document.h"

namespace cyclescope {

// The same text in pieces, in their order: a sweep of 15,000 forms has 40 MB of it, which need not
// be there at once.
void WriteJson(const Document& document, const std::function<void(std::string_view)>& take_piece);

// A document on one line, without a line break at its end; and one row by itself.
std::string ToJsonLine(const Document& document);
std::string ToJsonLine(const InstructionRow& row);
std::string ToJsonLine(const BlockRow& row);

}  // namespace cyclescope
