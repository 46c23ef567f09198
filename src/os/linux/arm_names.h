// Names for the numbers that Arm processors are identified by (MIDR_EL1).
#pragma once

#include <string_view>

namespace cyclescope::os {

// Both empty where the number is not known.
std::string_view ArmImplementerName(unsigned implementer);
std::string_view ArmPartName(unsigned implementer, unsigned part);

}  // namespace cyclescope::os
