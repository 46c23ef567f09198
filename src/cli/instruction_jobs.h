// Instructions given as texts, from parsing to rows, for every command that measures them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assembler/assembler.h"
#include "instructions/lab.h"
#include "result/instruction.h"

namespace cyclescope::cli {

// What is to be measured: an instruction, or a row that says why there is none.
struct InstructionJob {
  std::optional<assembler::Instruction> instruction;
  InstructionRow row;
};

using InstructionJobs = std::vector<InstructionJob>;

// One job per text. An instruction that this machine does not offer is a row; unset when a text is
// wrong, which has then been explained.
std::optional<InstructionJobs> ParseInstructions(assembler::Assembler& assembler,
                                                 const std::vector<std::string>& texts);

// A row per job, or fewer when the user interrupts.
std::vector<InstructionRow> MeasureInstructions(instructions::Lab& lab,
                                                const InstructionJobs& jobs);

}  // namespace cyclescope::cli
