// The power plan: how fast cores become, and how many stay awake.
#pragma once

#include <optional>
#include <string>

namespace cyclescope::os {

// "Balanced"; empty where the system does not say.
std::string PowerPlanName();

// Share of the cores that stay awake, while the machine is not on its battery.
std::optional<unsigned long> LeastUnparkedPercent();

}  // namespace cyclescope::os
