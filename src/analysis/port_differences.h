// Forms whose measured ports are not those of LLVM's model.
#pragma once

#include <vector>

#include "cyclescope/result/instruction.h"

namespace cyclescope {

struct PortComparison {
  int compared = 0;  // forms of which both are known
  std::vector<const InstructionRow*> differences;
};

// The same µops on the same ports, in whatever order.
bool SamePorts(const std::vector<PortUse>& a, const std::vector<PortUse>& b);

// Rows whose ports were explained, and of which LLVM says something. Those that rest on an
// ambiguous class are not compared: we do not know better there. Nor are those on ports that LLVM
// has no name for: where mixes do not tell a store's data from its address, the two have one name.
// The rows must outlive it.
PortComparison ComparePorts(const std::vector<InstructionRow>& rows);

}  // namespace cyclescope
