// Which runs a document was made of, as text.
#pragma once

#include <string>

#include "cyclescope/result/merged.h"
#include "report/text_style.h"

namespace cyclescope {

enum class MergeTextSize { kPage, kFull };

// The runs, what became of their values, the parts that came as a whole, and what runs disagree
// about: the first of it, or all.
std::string MergeText(const Merged& merged, const TextStyle& style, MergeTextSize size);

}  // namespace cyclescope
