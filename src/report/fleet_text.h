// `fleet`: the nodes that are not like the others, as text.
#pragma once

#include <string>

#include "cyclescope/result/fleet.h"
#include "report/text_style.h"

namespace cyclescope {

struct FleetTextOptions {
  bool all = false;  // normal nodes, too, and no end to the others
};

std::string FleetText(const Fleet& fleet, const TextStyle& style,
                      const FleetTextOptions& options = {});

// "3.49 GHz", "12 %": a value of that unit.
std::string FleetValueText(double value, std::string_view unit);
// "core clock 3.49 GHz, 3.0 % below 3.60 GHz"
std::string DeviationText(const FleetDeviation& deviation);
// "not enough data"
std::string VerdictText(NodeVerdict verdict);

}  // namespace cyclescope
