// The last step over all nodes, whoever brought them: judged ones, and those that left nothing.
#pragma once

#include "cyclescope/result/fleet.h"

namespace cyclescope::fleet {

// Counts the verdicts, and puts the nodes that are not normal first.
void FinishFleet(Fleet& fleet);

}  // namespace cyclescope::fleet
