#include "os/helper_process.h"

#include <cstdlib>

namespace cyclescope::os {

void SetEnvironment(const char* name, const char* value) { _putenv_s(name, value); }

// A helper is a copy of its owner, and Windows copies no processes. What needs one asks
// WhyNoDrivers before.
Result<HelperProcess> HelperProcess::Start(const std::function<Serve()>& /*make*/) {
  return Failed("Windows has no helper processes of this kind");
}

HelperProcess::HelperProcess(HelperProcess&&) noexcept = default;
HelperProcess& HelperProcess::operator=(HelperProcess&&) noexcept = default;
HelperProcess::~HelperProcess() = default;

HelperAnswer HelperProcess::Ask(std::string_view /*request*/, std::chrono::milliseconds /*limit*/,
                                const std::function<bool()>& /*goes_on*/) {
  return {.ending = HelperEnding::kDied, .text = {}, .how_ended = "it had ended"};
}

}  // namespace cyclescope::os
