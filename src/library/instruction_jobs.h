// Instructions given as texts, from parsing to rows, for whoever measures them.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "assembler/assembler.h"
#include "cyclescope/progress.h"
#include "instructions/lab.h"
#include "result/instruction.h"

namespace cyclescope::library {

// What is to be measured: an instruction, or a row that says why there is none.
struct InstructionJob {
  std::optional<assembler::Instruction> instruction;
  InstructionRow row;
};

using InstructionJobs = std::vector<InstructionJob>;

// One job per text. An instruction that this machine does not offer is a row; when texts are wrong,
// what is wrong with each.
std::expected<InstructionJobs, std::vector<assembler::TextError>> ParseInstructions(
    assembler::Assembler& assembler, const std::vector<std::string>& texts);

// A row per job, or fewer when `on_progress` says so.
std::vector<InstructionRow> MeasureInstructions(instructions::Lab& lab, const InstructionJobs& jobs,
                                                const OnProgress& on_progress);

}  // namespace cyclescope::library
