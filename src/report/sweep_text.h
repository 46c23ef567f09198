// `sweep`: what became of every opcode, and where LLVM's model is wrong.
#pragma once

#include <cstddef>
#include <string>

#include "report/text_style.h"
#include "result/document.h"

namespace cyclescope {

struct SweepTextOptions {
  std::size_t most_differences = 30;  // from the model, that are listed: groups of them
};

std::string SweepText(const Document& document, const TextStyle& style,
                      const SweepTextOptions& options = {});

}  // namespace cyclescope
