// Which instructions cost no port or no slot, and which pairs fuse, from how long mixes take.
//
// An instruction is put among others that leave only one thing short, and compared with two that
// are known. Where ports are short: another instruction of that kind costs one, a `nop` costs none.
// Where slots are short: a `nop` costs one, nothing costs none. What is measured lies between the
// two: at the second, it is eliminated. A pair is measured with both neighbours and with another
// instruction between them; where it fuses, that saves a slot.
#pragma once

#include <vector>

#include "anatomy/code_times.h"
#include "cyclescope/result/anatomy.h"

namespace cyclescope::anatomy {

// One row for ports and one for slots of each instruction: the share that costs none.
std::vector<AnatomyRow> FindElimination(CodeTimes& times);
// One row for each pair: the share of a slot that neighbours save.
std::vector<AnatomyRow> FindFusion(CodeTimes& times);

// What would be measured.
std::vector<AnatomyRow> PlannedEliminationRows();
std::vector<AnatomyRow> PlannedFusionRows();

}  // namespace cyclescope::anatomy
