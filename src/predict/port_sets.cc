#include "predict/port_sets.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>
#include <vector>

namespace cyclescope::predict {

namespace {

constexpr double kEqualCycles = 1e-9;

// Of sets that hang together.
Narrowest NarrowestAmong(std::span<const std::pair<PortSet, double>> uops) {
  // Only unions of the sets that occur can be the narrowest place.
  std::vector<PortSet> unions = {0};
  for (const auto& [ports, count] : uops) {
    const std::size_t known = unions.size();
    for (std::size_t i = 0; i < known; ++i) unions.push_back(unions[i] | ports);
    std::ranges::sort(unions);
    unions.erase(std::ranges::unique(unions).begin(), unions.end());
  }
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
    if (cycles > narrowest.cycles + kEqualCycles ||
        (cycles > narrowest.cycles - kEqualCycles && larger))
      narrowest = {all, cycles};
  }
  return narrowest;
}

}  // namespace

Narrowest NarrowestOf(const std::map<PortSet, double>& uops) {
  // Sets that share no port, not even by way of others, are never narrower together than the
  // narrowest of them is alone.
  std::vector<std::pair<PortSet, double>> left(uops.begin(), uops.end());
  Narrowest narrowest;
  while (!left.empty()) {
    PortSet together = left.front().first;
    auto rest = left.begin();
    for (bool grows = true; grows;) {
      rest = std::partition(left.begin(), left.end(),
                            [&](const auto& use) { return (use.first & together) != 0; });
      const PortSet before = together;
      for (auto use = left.begin(); use != rest; ++use) together |= use->first;
      grows = together != before;
    }
    if (rest == left.begin()) ++rest;  // no port at all
    const Narrowest found = NarrowestAmong({left.begin(), rest});
    if (found.cycles > narrowest.cycles + kEqualCycles) {
      narrowest = found;
    } else if (found.cycles > narrowest.cycles - kEqualCycles) {
      narrowest.ports |= found.ports;
    }
    left.erase(left.begin(), rest);
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
