// The worker's signal handling: faults are reported and end it; all else is ignored, as the tool
// decides when its worker ends, and neither Ctrl-C nor a service manager that signals every
// process.
#pragma once

#include <cstdint>
#include <span>

#include "cyclescope/base/error.h"
#include "sandbox/control_block.h"

namespace cyclescope::sandbox {

// Faults are reported to `report` as belonging to the run that `request` names then. The handler
// runs on `stack`, since the code's own stack pointer can be anything.
Result<void> ReportFaults(FaultReport& report, const Request& request,
                          std::span<std::uint8_t> stack);

}  // namespace cyclescope::sandbox
