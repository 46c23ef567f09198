// `cyclescope sweep`: what became of the opcodes that LLVM lists for the architecture.
#pragma once

namespace cyclescope {

// Every opcode is counted once: either here, or by its row in Document::instructions.
struct SweepSummary {
  int opcodes = 0;      // that LLVM lists
  int pseudos = 0;      // the compiler's own: no CPU has them
  int duplicates = 0;   // other names or other encodings of opcodes that have a row
  int left_out = 0;     // not asked for (`--filter`, `--isa`)
  int not_reached = 0;  // the sweep was interrupted, or its budget was spent
};

}  // namespace cyclescope
