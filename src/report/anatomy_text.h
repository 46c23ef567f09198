// A core as text. `anatomy`: one table per part of the core, and how each was measured; `model`:
// what a model has of a core, and what it lacks.
#pragma once

#include <string>

#include "cyclescope/result/anatomy.h"
#include "cyclescope/result/document.h"
#include "report/text_style.h"

namespace cyclescope {

std::string AnatomyText(const Anatomy& anatomy, const TextStyle& style,
                        TextSize size = TextSize::kPage);

// "512, 256 while the core is shared", "≥ 512", "-" where there is none; with the unit where it is
// not `entries`.
std::string AnatomyValueText(const AnatomyRow& row);

std::string CoreModelText(const Document& document, const TextStyle& style);

}  // namespace cyclescope
