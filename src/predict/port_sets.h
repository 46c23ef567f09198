// Sets of ports, and how long µops keep them busy.
#pragma once

#include <cstdint>
#include <map>

namespace cyclescope::predict {

using PortSet = std::uint32_t;  // bit n: port n
inline constexpr int kMostPorts = 24;

// The ports that are busy for longest with µops that can go nowhere else.
struct Narrowest {
  PortSet ports = 0;
  double cycles = 0;
};
Narrowest NarrowestOf(const std::map<PortSet, double>& uops);

// Cycles that the ports need for these µops.
double PortTime(const std::map<PortSet, double>& uops);

// How busy each port is when the µops are spread as well as possible: the busiest are as idle as
// can be, then the next. Ports that none of the µops can go to are not in it.
std::map<int, double> LeastPressure(std::map<PortSet, double> uops);

}  // namespace cyclescope::predict
