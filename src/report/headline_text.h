// Many instructions in little room: a line each with latency and throughput, side by side where the
// terminal is wide enough.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cyclescope/result/document.h"
#include "report/text_style.h"

namespace cyclescope {

// The forms that a survey chose, each with a heading, and the rows of a sweep, which have the same
// forms again. The first stand before the second in every document: the reader sees to it.
std::vector<InstructionRow> HeadlineRows(const Document& document);
std::vector<InstructionRow> OtherRows(const Document& document);

// Rows stand under their headings, those without one under none.
std::string HeadlineText(std::span<const InstructionRow> rows, const TextStyle& style);

// A line for each snippet.
std::string SnippetLinesText(std::span<const BlockRow> rows, const TextStyle& style);

}  // namespace cyclescope
