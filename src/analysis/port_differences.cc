#include "analysis/port_differences.h"

#include <algorithm>
#include <map>
#include <string>

namespace cyclescope {
namespace {

// Two entries may be of the same ports.
std::map<std::vector<std::string>, int> UopsByPorts(const std::vector<PortUse>& uops) {
  std::map<std::vector<std::string>, int> by_ports;
  for (const PortUse& use : uops) {
    std::vector<std::string> ports = use.ports;
    std::ranges::sort(ports);
    by_ports[ports] += use.uops;
  }
  return by_ports;
}

}  // namespace

bool SamePorts(const std::vector<PortUse>& a, const std::vector<PortUse>& b) {
  return UopsByPorts(a) == UopsByPorts(b);
}

PortComparison ComparePorts(const std::vector<InstructionRow>& rows) {
  PortComparison comparison;
  for (const InstructionRow& row : rows) {
    if (!row.port_finding || !row.port_finding->reason.empty() || row.port_finding->model.empty())
      continue;
    if (std::ranges::any_of(row.ports, &PortUse::ambiguous)) continue;
    ++comparison.compared;
    if (!SamePorts(row.ports, row.port_finding->model)) comparison.differences.push_back(&row);
  }
  return comparison;
}

}  // namespace cyclescope
