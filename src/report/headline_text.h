// Many instructions in little room: a line each with latency and throughput, side by side where the
// terminal is wide enough.
#pragma once

#include <span>
#include <string>

#include "report/text_style.h"
#include "result/instruction.h"

namespace cyclescope {

// Rows stand under their headings, those without one under none.
std::string HeadlineText(std::span<const InstructionRow> rows, const TextStyle& style);

// A line for each snippet.
std::string SnippetLinesText(std::span<const BlockRow> rows, const TextStyle& style);

}  // namespace cyclescope
