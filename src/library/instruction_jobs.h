// Instructions given as texts, from parsing to rows: for `instruction`, `ports` and `survey`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assembler/assembler.h"
#include "cyclescope/measure.h"
#include "cyclescope/result/instruction.h"
#include "library/code_session.h"
#include "library/pulse.h"

namespace cyclescope::library {

// What is to be measured: an instruction, or a row that says why there is none.
struct InstructionJob {
  std::optional<assembler::Instruction> instruction;
  InstructionRow row;
  std::size_t index = 0;  // of the text that it comes from
};

using InstructionJobs = std::vector<InstructionJob>;

struct ParsedTexts {
  InstructionJobs jobs;               // of the texts that are right, in their order
  std::vector<TextProblem> problems;  // of those that are wrong
};

// Why an instruction is not measured: of an error of the kind kNeedsFeature.
Claim FeatureNotOffered(const assembler::TextError& error);

// An instruction that this machine does not offer is a job, whose row says so. One with a
// length-changing prefix, which the decoder limits, is followed by its form that has none.
ParsedTexts ParseInstructions(assembler::Assembler& assembler,
                              const std::vector<std::string>& texts, ReadTexts& read);

TextProblem ProblemOf(const assembler::TextError& error, std::size_t index);

// A row per job, in their order; unset where the pulse ended before all of it was measured.
std::vector<std::optional<InstructionRow>> MeasureJobs(CodeSession& session,
                                                       const InstructionJobs& jobs, Pulse& pulse);

// The rows that are set.
std::vector<InstructionRow> WholeRows(std::vector<std::optional<InstructionRow>> rows);

}  // namespace cyclescope::library
