// Which processor this is, as Windows wrote it down when it started.
#pragma once

#include <string>
#include <string_view>

#include "os/x86_names.h"

namespace cyclescope::os {

// "Intel64 Family 6 Model 173 Stepping 1" as numbers; zeros for what is not there.
X86Signature ParseIdentifier(std::string_view identifier, std::string_view vendor);

// "KVMKVMKVM" to "kvm"; a signature that is not known, as it is.
std::string HypervisorName(std::string_view signature);

}  // namespace cyclescope::os
