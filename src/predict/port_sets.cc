#include "predict/port_sets.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace cyclescope::predict {

Narrowest NarrowestOf(const std::map<PortSet, double>& uops) {
  // Only unions of the sets that occur can be the narrowest place.
  std::vector<PortSet> unions = {0};
  for (const auto& [ports, count] : uops) {
    const std::size_t known = unions.size();
    for (std::size_t i = 0; i < known; ++i) unions.push_back(unions[i] | ports);
    std::ranges::sort(unions);
    unions.erase(std::ranges::unique(unions).begin(), unions.end());
  }
  constexpr double kEqual = 1e-9;
  Narrowest narrowest;
  for (const PortSet all : unions) {
    if (all == 0) continue;
    double confined = 0;
    for (const auto& [ports, count] : uops) {
      if ((ports & ~all) == 0) confined += count;
    }
    const double cycles = confined / std::popcount(all);
    // Of two that are as busy the larger: the smaller is a part of it.
    const bool larger = std::popcount(all) > std::popcount(narrowest.ports);
    if (cycles > narrowest.cycles + kEqual || (cycles > narrowest.cycles - kEqual && larger))
      narrowest = {all, cycles};
  }
  return narrowest;
}

double PortTime(const std::map<PortSet, double>& uops) { return NarrowestOf(uops).cycles; }

std::map<int, double> LeastPressure(std::map<PortSet, double> uops) {
  std::map<int, double> cycles_by_port;
  while (!uops.empty()) {
    const Narrowest narrowest = NarrowestOf(uops);
    for (int port = 0; port < kMostPorts; ++port) {
      if ((narrowest.ports >> port & 1) != 0) cycles_by_port[port] = narrowest.cycles;
    }
    // What is left has to do without these ports.
    std::map<PortSet, double> rest;
    for (const auto& [ports, count] : uops) {
      if ((ports & ~narrowest.ports) != 0) rest[ports & ~narrowest.ports] += count;
    }
    uops = std::move(rest);
  }
  return cycles_by_port;
}

}  // namespace cyclescope::predict
