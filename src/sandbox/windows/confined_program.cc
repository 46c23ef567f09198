#include "sandbox/confined_program.h"

namespace cyclescope::sandbox {

Result<void> SystemConfines() {
  return Failed("compilers run on Linux only, where they can be confined");
}

Result<ConfinedResult> RunConfined(const ConfinedProgram& /*program*/,
                                   const std::function<bool()>& /*goes_on*/) {
  return std::unexpected(SystemConfines().error());
}

}  // namespace cyclescope::sandbox
