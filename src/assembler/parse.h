// LLVM's parser on a text, with what it found and what it complained about. The text must have
// passed Scan.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/MC/MCInst.h>

#include <cstddef>
#include <string>
#include <vector>

#include "assembler/llvm_target.h"

namespace cyclescope::assembler {

struct Complaint {
  std::size_t offset = 0;  // in the text
  std::string message;
};

struct ParseOutcome {
  std::vector<Complaint> complaints;
  std::vector<std::string> undefined_labels;
};

// Calls `found` for every instruction, with the place of its statement. Labels that the instruction
// refers to live only during the call.
using FoundInstruction = llvm::function_ref<void(const llvm::MCInst& inst, std::size_t offset)>;
ParseOutcome ParseText(const Llvm& llvm, const llvm::MCSubtargetInfo& subtarget,
                       const std::string& text, FoundInstruction found);

// The text as an object file: labels resolved, branches relaxed.
struct ObjectOutcome {
  std::vector<Complaint> complaints;
  std::string elf;
};
ObjectOutcome EmitObject(const Llvm& llvm, const std::string& text);

}  // namespace cyclescope::assembler
