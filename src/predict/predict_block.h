// What a loop takes on a core, why, and what would help.
//
//   BlockPrediction prediction = PredictBlock(*model, {.instructions = iteration}, {});
#pragma once

#include <span>
#include <string>

#include "assembler/instruction.h"
#include "cyclescope/result/prediction.h"
#include "predict/block_program.h"
#include "predict/core_model.h"
#include "predict/pipeline.h"

namespace cyclescope::predict {

struct PredictOptions {
  int timeline_iterations = 0;  // that are recorded
};

// Abstains (no `cycles`, and a reason) where instructions that the model does not have would make a
// difference if they took some cycles more than LLVM says.
BlockPrediction PredictBlock(CoreModel& model, const BlockIteration& iteration,
                             const PredictOptions& options = {});

}  // namespace cyclescope::predict
