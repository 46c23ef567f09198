// Blockers: instructions of known classes that keep a set of ports busy, so that a µop that can go
// nowhere else takes longer beside them.
#pragma once

#include <vector>

#include "ports/core_map.h"
#include "ports/port_model.h"

namespace cyclescope::ports {

struct Blocker {
  PortSet ports = 0;
  Mix a_cycle;  // keeps them busy for one
};

// True if the class can block ports for such a form: wide vectors do it for wide ones only.
bool IsBlocker(const MapClass& each, VectorKind form);

// Those that the classes of a map make for a form, each set of ports once.
std::vector<Blocker> BlockersOf(const CoreMap& map, VectorKind form);

// True if no other blocker has all of its ports.
bool IsMaximal(const Blocker& blocker, const std::vector<Blocker>& blockers);

}  // namespace cyclescope::ports
