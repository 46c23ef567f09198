#include "ports/port_model.h"

#include <algorithm>
#include <bit>

namespace cyclescope::ports {

double PortTime(const std::map<PortSet, double>& uops) {
  // Only unions of the sets that occur can be the narrowest place.
  std::vector<PortSet> unions = {0};
  for (const auto& [ports, count] : uops) {
    const std::size_t known = unions.size();
    for (std::size_t i = 0; i < known; ++i) unions.push_back(unions[i] | ports);
    std::ranges::sort(unions);
    unions.erase(std::ranges::unique(unions).begin(), unions.end());
  }
  double longest = 0;
  for (const PortSet all : unions) {
    if (all == 0) continue;
    double confined = 0;
    for (const auto& [ports, count] : uops) {
      if ((ports & ~all) == 0) confined += count;
    }
    longest = std::max(longest, confined / std::popcount(all));
  }
  return longest;
}

}  // namespace cyclescope::ports
