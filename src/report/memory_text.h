// `memory` as text: a small chart of the latencies, the levels, and what contradicts the system.
#pragma once

#include <string>

#include "cyclescope/result/document.h"
#include "report/text_style.h"

namespace cyclescope {

enum class MemoryTextSize {
  kPage,  // levels and findings, and the chart
  kFull,  // and every footprint
};

std::string MemoryText(const Document& document, const TextStyle& style,
                       MemoryTextSize size = MemoryTextSize::kPage);

}  // namespace cyclescope
