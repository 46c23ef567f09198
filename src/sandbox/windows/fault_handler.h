// The worker's handling of faults: they are reported and end it.
#pragma once

#include "cyclescope/base/error.h"
#include "sandbox/control_block.h"

namespace cyclescope::sandbox {

// Faults are reported to `report` as belonging to the run that `request` names then. The handler
// runs on the code's own stack, wherever that is; without one, Windows ends the process itself.
Result<void> ReportFaults(FaultReport& report, const Request& request);

}  // namespace cyclescope::sandbox
