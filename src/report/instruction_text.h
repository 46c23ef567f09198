// `instruction` as text: the classic table, then every pair and the throughput with their
// intervals.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cyclescope/result/instruction.h"
#include "report/text_style.h"

namespace cyclescope {

struct InstructionTextOptions {
  bool show_code = false;  // the exact code measured
  bool has_base = true;    // time stamps count at a base clock, which a core may be faster than
};

std::string InstructionsText(std::span<const InstructionRow> rows, const TextStyle& style,
                             const InstructionTextOptions& options = {});

// `instruction --dry-run`: pairs and code, no values.
std::string PlanText(const std::vector<InstructionRow>& rows, const TextStyle& style);

// A line for each instruction that is watched: "   1.2 s  add rax, rbx: latency 1.00, thr. 0.20".
std::string RoundLines(std::span<const InstructionRow> rows, double at_s);

// The classic table alone; `rows` are shown under the name they belong to.
std::string ClassicText(const std::vector<ClassicRow>& rows, bool has_base = true);

// `block`: cycles of each snippet, what binds it, and how snippets differ.
std::string BlocksText(const std::vector<BlockRow>& rows, const TextStyle& style,
                       const InstructionTextOptions& options = {});

}  // namespace cyclescope
