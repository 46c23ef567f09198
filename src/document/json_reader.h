// Reads result documents back: what ToJson wrote, by this version or another, and what a user may
// have edited, cut off or picked up elsewhere.
//
//   Result<Document> document = ParseDocument(text, "a.json");
//   // "a.json: cores[0].nanoseconds[3] has 4 values, 5 are needed"
#pragma once

#include <string_view>

#include "cyclescope/base/error.h"
#include "cyclescope/json.h"  // ParseJson
#include "cyclescope/result/document.h"

namespace cyclescope {

// One row, as ToJsonLine wrote it.
Result<InstructionRow> ParseInstructionRow(std::string_view text, std::string_view file_name);
Result<BlockRow> ParseBlockRow(std::string_view text, std::string_view file_name);

// The values of a result document alone, without what says how they were found (samples, code,
// curves, the cells of matrices): what many documents are compared by, in a fraction of the time.
// Plain or as gzip writes it.
Result<Document> ParseFigures(std::string_view text, std::string_view file_name);

// True if a file of that name may be a result document: "a.json", "a.json.gz".
bool IsResultName(std::string_view path);

// A result document, or the bare matrix of another tool (see csv_matrix_reader.h), plain or as gzip
// writes it: what it is, is seen from the bytes, not from the file's name.
Result<Document> ParseDocument(std::string_view text, std::string_view file_name);

}  // namespace cyclescope
