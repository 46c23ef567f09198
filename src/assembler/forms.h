// Operands for an opcode of which nothing is known but its table: the candidates from which the
// catalogue takes a canonical form.
#pragma once

#include <llvm/MC/MCInst.h>

#include <string>
#include <vector>

#include "assembler/llvm_target.h"

namespace cyclescope::assembler {

struct FormCandidates {
  std::vector<llvm::MCInst> forms;  // best first, each as its own bytes read back
  // Where there are none: another opcode that the bytes read back as; empty where they read back as
  // nothing.
  std::string reads_as;
  bool has_bytes = false;  // the encoder made any bytes of it at all
};

// `disassembler` must know all features.
FormCandidates CandidatesFor(const Llvm& llvm, const llvm::MCDisassembler& disassembler,
                             unsigned opcode, std::size_t most);

}  // namespace cyclescope::assembler
