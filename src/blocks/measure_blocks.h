// Snippets, measured.
//
// What a piece of real code wants to find in registers and memory is not known. So it is tried out
// first (block_setup.h): memory is laid out where the code says what it needs (block_memory.h), or
// appears where it is touched, and registers get other values when it does not run with the first
// ones.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/work.h"
#include "blocks/block.h"
#include "instructions/measure_forms.h"
#include "instructions/planner.h"

namespace cyclescope::blocks {

// A row for each, unset where `goes_on` ended it first. They are measured together, so that the
// visits to one of them lie apart in time. A loop that reads memory is measured with constant data,
// too, and one whose branches or stores depend on data with few values: where kinds of data differ,
// the row has each.
std::vector<std::optional<BlockRow>> MeasureBlocks(instructions::Bench& bench,
                                                   instructions::Planner& planner,
                                                   std::span<const BlockSubject> subjects,
                                                   const GoesOn& goes_on = {});

// Adds what llvm-mca predicts to a row that was measured.
void PredictBlock(instructions::Planner& planner, const BlockSubject& subject, bool timeline,
                  BlockRow& row);

// What was measured for an earlier snippet.
struct KnownParts {
  std::map<std::string, InstructionRow, std::less<>> rows;  // of instructions, by their text
  double width = 0;  // how many instructions start in a cycle; 0: not known yet
};

// Adds what binds the snippet to a row that was measured. The snippet's instructions are measured
// one by one for that, but for those that are known.
void ExplainBlock(instructions::Bench& bench, instructions::Planner& planner,
                  const BlockSubject& subject, const GoesOn& goes_on, KnownParts& known,
                  BlockRow& row);

}  // namespace cyclescope::blocks
