// The stack pointer between pushes and pops. Cores count at rename what these add to it; where its
// value is asked for by others, they add the count to the register with a µop of their own (Intel's
// optimization manual, "stack pointer tracker").
#pragma once

#include <vector>

#include "predict/block_program.h"

namespace cyclescope::predict {

// An iteration with the instructions that the core adds.
struct SyncedIteration {
  std::vector<assembler::Instruction> instructions;
  std::vector<MemoryLink> memory;
  std::vector<MemoryPlace> places;
  bool takes_branch = false;
  std::int64_t bytes_to_jump = 0;

  BlockIteration Get() const {
    return {.instructions = instructions,
            .memory = memory,
            .places = places,
            .takes_branch = takes_branch,
            .bytes_to_jump = bytes_to_jump};
  }
};

SyncedIteration WithStackSync(CoreModel& model, const BlockIteration& iteration);

}  // namespace cyclescope::predict
