// The two or three things about a machine that its owner should hear first.
#pragma once

#include <string>
#include <vector>

#include "cyclescope/result/document.h"

namespace cyclescope {

// The most important first, at most three. What they say is in the rest of the report, with more
// figures.
std::vector<Claim> Highlights(const Document& document);

// Their sentences, without the end: "CPUs 0 and 12 share a core, which the system does not say".
std::vector<std::string> HighlightTexts(const Document& document);

}  // namespace cyclescope
