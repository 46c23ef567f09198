#include "os/run_program.h"

#include <fmt/core.h>

namespace cyclescope::os {

// For what comes with a GPU's driver, which is out of reach here (WhyNoDrivers).
Result<std::string> RunProgramOn(const std::string& program,
                                 const std::vector<std::string>& /*arguments*/,
                                 std::string_view /*contents*/) {
  return Failed(fmt::format("{} is not used on Windows", program));
}

}  // namespace cyclescope::os
