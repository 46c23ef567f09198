// What is likely behind a node's deviations. Which values deviate and which do not
// tells more than how far they do: a slow clock leaves cycles as they are, a neighbour does not.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cyclescope/result/claim.h"
#include "cyclescope/result/fleet.h"

namespace cyclescope::fleet {

// A property in which a node is not like nearly all of those that it is compared with.
struct OddSetting {
  std::string name;   // "governor"
  std::string value;  // "powersave"
  std::string usual;  // "performance"
};

// Empty where nothing deviates.
std::vector<Claim> LikelyCause(std::span<const FleetDeviation> deviations,
                               std::span<const OddSetting> odd_settings);

}  // namespace cyclescope::fleet
