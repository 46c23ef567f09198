// What llvm-mca says of code that repeats: LLVM's simulation of the CPU's scheduling model.
#pragma once

#include <span>
#include <string>

#include "assembler/assembler.h"
#include "cyclescope/base/error.h"

namespace cyclescope::assembler {

struct Prediction {
  std::string cpu;              // LLVM's name of the model
  double cycles = 0;            // per iteration, when it has settled
  double throughput_bound = 0;  // what its resources and its width allow at best
  std::string bottleneck;       // what delayed instructions most often; empty where nothing did
  std::string timeline;         // as llvm-mca draws it; empty unless asked for
};

// Fails where LLVM has no model of the CPU, or the model does not know an instruction, and for
// calls and returns, which are not followed.
Result<Prediction> Predict(Assembler& assembler, std::span<const Instruction> instructions,
                           bool timeline);

// True if the model lets the instruction wait for none of its sources: `xor eax, eax`.
bool BreaksDependence(Assembler& assembler, const Instruction& instruction);

}  // namespace cyclescope::assembler
