// `sweep`: what became of every opcode, and where LLVM's model is wrong.
#pragma once

#include <cstddef>
#include <string>

#include "cyclescope/result/document.h"
#include "report/text_style.h"

namespace cyclescope {

// The number of rows, a line each, that still make a page.
inline constexpr std::size_t kMostSweepLines = 60;

struct SweepTextOptions {
  // Rows with values have a line each, where there are not more of them.
  std::size_t most_rows = kMostSweepLines;
  std::size_t most_differences = 30;  // from the model, that are listed: groups of them
};

// Rows that have values.
std::size_t CountMeasured(const Document& document);

std::string SweepText(const Document& document, const TextStyle& style,
                      const SweepTextOptions& options = {});

}  // namespace cyclescope
