// `model` as text: what a model has of a core, and what it lacks.
#pragma once

#include <string>

#include "cyclescope/result/document.h"
#include "report/text_style.h"

namespace cyclescope {

std::string CoreModelText(const Document& document, const TextStyle& style);

}  // namespace cyclescope
