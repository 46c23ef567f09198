// `block` as text: cycles of each snippet, what binds it, and how snippets differ.
#pragma once

#include <string>
#include <vector>

#include "cyclescope/result/instruction.h"
#include "report/instruction_text.h"
#include "report/text_style.h"

namespace cyclescope {

std::string BlocksText(const std::vector<BlockRow>& rows, const TextStyle& style,
                       const InstructionTextOptions& options = {});

}  // namespace cyclescope
