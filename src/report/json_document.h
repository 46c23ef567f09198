// The fields of a result document, from JSON into the value model: the counterpart of json_writer.
// Private to the reader.
#pragma once

#include "report/json_cursor.h"
#include "result/document.h"

namespace cyclescope::json {

// All but `schema`. What is missing or wrong goes into the cursor's complaint.
void Read(const Cursor& at, Document& document);
void Read(const Cursor& at, InstructionRow& row);

}  // namespace cyclescope::json
