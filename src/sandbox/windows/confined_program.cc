#include "sandbox/confined_program.h"

namespace cyclescope::sandbox {

Result<ConfinedResult> RunConfined(const ConfinedProgram& /*program*/,
                                   const std::function<bool()>& /*goes_on*/) {
  return Failed("programs are confined on Linux only", "give assembly instead of C or C++");
}

}  // namespace cyclescope::sandbox
