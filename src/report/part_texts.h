// Parts of a result as text: a function each.
#pragma once

#include <string>
#include <vector>

#include "cyclescope/result/document.h"
#include "report/text_style.h"

namespace cyclescope {

// `memory`: a small chart of the latencies, the levels, and what contradicts the system.
std::string MemoryText(const Document& document, const TextStyle& style,
                       TextSize size = TextSize::kPage);

std::string GpuText(const std::vector<GpuRow>& rows, const TextStyle& style,
                    TextSize size = TextSize::kPage);

std::string HostsText(const HostMatrix& matrix, const TextStyle& style);

// The runs that a document was made of, what became of their values, the parts that came as a
// whole, and what runs disagree about: the first of it, or all.
std::string MergeText(const Merged& merged, const TextStyle& style, TextSize size);

}  // namespace cyclescope
