// What a snippet takes, by the ports that its instructions use. Pure: names of ports are those of
// the result model.
#pragma once

#include <span>

#include "cyclescope/result/instruction.h"
#include "cyclescope/result/ports.h"
#include "ports/port_model.h"

namespace cyclescope::ports {

// `parts` are the snippet's instructions in their order. One whose ports are not known counts as a
// slot. `fused` of them take no slot: a compare and the branch behind it take one together. `chain`
// is the longest chain of dependences, in cycles per iteration.
BlockPorts PredictBlock(const PortMap& map, std::span<const InstructionRow> parts, int fused,
                        double chain);

}  // namespace cyclescope::ports
