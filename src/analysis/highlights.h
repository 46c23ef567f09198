// The two or three things about a machine that its owner should hear first.
#pragma once

#include <string>
#include <vector>

#include "cyclescope/result/document.h"

namespace cyclescope {

// Sentences without their end, most important first, at most three. What they say is in the rest of
// the report, with figures: "CPUs 0 and 12 share a core, which the system does not say".
std::vector<std::string> Highlights(const Document& document);

}  // namespace cyclescope
