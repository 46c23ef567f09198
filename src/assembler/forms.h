// Operands for an opcode of which nothing is known but its table: the candidates from which the
// catalogue takes a canonical form.
#pragma once

#include <llvm/MC/MCInst.h>

#include <optional>
#include <string>
#include <vector>

#include "assembler/llvm_target.h"

namespace cyclescope::assembler {

struct FormCandidates {
  std::vector<llvm::MCInst> forms;  // best first, each as its own bytes read back
  // Where there are none: another opcode that the bytes read back as; empty where they read back as
  // nothing.
  std::string reads_as;
  // One whose bytes read back as no instruction, or as one with a prefix (`lock add` has an opcode
  // of its own, which only the compiler uses): its text must tell what it is.
  std::optional<llvm::MCInst> unread;
  bool has_bytes = false;  // the encoder made any bytes of it at all
};

// `disassembler` must know all features.
FormCandidates CandidatesFor(const Llvm& llvm, const llvm::MCDisassembler& disassembler,
                             unsigned opcode, std::size_t most);

}  // namespace cyclescope::assembler
