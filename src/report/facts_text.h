// What else a result says about the machine, the clock and the run, beyond the lines above every
// table.
#pragma once

#include <string>

#include "cyclescope/result/document.h"
#include "report/text_style.h"

namespace cyclescope {

// Names and values under headings; what the document does not hold is left out.
std::string FactsText(const Document& document, const TextStyle& style);

// Which CPUs the system claims to belong together, a line per level that separates some.
std::string TopologyText(const std::vector<CpuPlace>& places, const TextStyle& style);

}  // namespace cyclescope
