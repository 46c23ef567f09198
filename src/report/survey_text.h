// `survey`: what matters about a machine on one page of 80 columns.
#pragma once

#include <string>

#include "report/text_style.h"
#include "result/document.h"

namespace cyclescope {

std::string SurveyText(const Document& document, const TextStyle& style);

}  // namespace cyclescope
