#include "analysis/port_differences.h"

#include <algorithm>
#include <map>
#include <set>
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

// A letter that no row has from LLVM's model: a port that the model has no name for.
bool IsUnnamed(const std::string& port, const std::set<std::string>& named) {
  const bool is_letters =
      std::ranges::all_of(port, [](char letter) { return letter >= 'A' && letter <= 'Z'; });
  return is_letters && !named.contains(port);
}

std::set<std::string> PortsOfModel(const std::vector<InstructionRow>& rows) {
  std::set<std::string> named;
  for (const InstructionRow& row : rows) {
    if (!row.port_finding) continue;
    for (const PortUse& use : row.port_finding->model)
      named.insert(use.ports.begin(), use.ports.end());
  }
  return named;
}

}  // namespace

bool SamePorts(const std::vector<PortUse>& a, const std::vector<PortUse>& b) {
  return UopsByPorts(a) == UopsByPorts(b);
}

PortComparison ComparePorts(const std::vector<InstructionRow>& rows) {
  PortComparison comparison;
  const std::set<std::string> named = PortsOfModel(rows);
  const auto cannot_be_compared = [&named](const PortUse& use) {
    return use.ambiguous || std::ranges::any_of(use.ports, [&named](const std::string& port) {
             return IsUnnamed(port, named);
           });
  };
  for (const InstructionRow& row : rows) {
    if (!row.port_finding || !row.port_finding->reason.empty() || row.port_finding->model.empty())
      continue;
    if (std::ranges::any_of(row.ports, cannot_be_compared)) continue;
    ++comparison.compared;
    if (!SamePorts(row.ports, row.port_finding->model)) comparison.differences.push_back(&row);
  }
  return comparison;
}

}  // namespace cyclescope
