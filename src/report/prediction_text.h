// A prediction as text: the value, what binds, what it cannot be below, ports, the timeline.
#pragma once

#include <string>
#include <vector>

#include "cyclescope/result/instruction.h"
#include "report/text_style.h"

namespace cyclescope {

// How busy ports are, as bars; the longest is as long as `longest` cycles.
std::string PortBars(const std::vector<PortLoad>& loads, double longest, const TextStyle& style);

// "2.50 cycles by the model of Emerald Rapids"; or why there is none.
std::string PredictionLine(const BlockPrediction& prediction);

// When each instruction of the first iterations went where. Empty for none.
std::string TimelineText(const std::vector<PredictedTimes>& timeline, const TextStyle& style);

// All that a prediction says, for a row that was predicted and not measured.
std::string PredictionText(const BlockPrediction& prediction, const TextStyle& style);

}  // namespace cyclescope
