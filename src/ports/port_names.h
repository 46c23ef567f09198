// Names for ports: LLVM's, where our sets match its.
#pragma once

#include <string>
#include <vector>

#include "ports/port_model.h"

namespace cyclescope::ports {

// A class as found, and what a model says of its instruction: the ports of its one µop, by their
// short names. Empty where the model says something else.
struct NamedSet {
  PortSet ports = 0;
  std::vector<std::string> model;
};

// "SPRPort00" and "SPRPort01" are 0 and 1 to people, and p0 and p1 in tables.
std::string ShortPortName(const std::string& name);

// A name for each of the first `count` ports. Ports that the same classes use are alike, and get
// their names in order; a port for which the model has no counterpart is a letter.
std::vector<std::string> NamePorts(int count, const std::vector<NamedSet>& sets);

}  // namespace cyclescope::ports
