// `cyclescope sweep`: what became of the opcodes that LLVM lists for the architecture.
#pragma once

#include "cyclescope/result/describe.h"

namespace cyclescope {

struct SweepSummary {
  int opcodes = 0;
  int pseudos = 0;
  int duplicates = 0;
  int left_out = 0;
  int not_reached = 0;
};

void Describe(auto& visit, Of<SweepSummary> auto& sweep) {
  visit.Struct("SweepSummary",
               "What became of the opcodes that LLVM lists: each is counted once, either here or "
               "by its row in `instructions`.");
  visit.Required("opcodes", sweep.opcodes, "That LLVM lists.");
  visit.Required("pseudos", sweep.pseudos, "The compiler's own: no CPU has them.");
  visit.Required("duplicates", sweep.duplicates,
                 "Other names or other encodings of opcodes that have a row.");
  visit.Required("left_out", sweep.left_out, "Not asked for (`--filter`, `--isa`).");
  visit.Required("not_reached", sweep.not_reached, "Interrupted, or out of time.");
}

}  // namespace cyclescope
