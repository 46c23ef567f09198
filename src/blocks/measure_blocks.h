// Snippets, measured.
//
// Nobody knows what a piece of real code wants to find in registers and memory. So it is tried out
// first (block_setup.h): memory appears where it is touched, and registers get other values when
// it does not run with the first ones.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "blocks/block.h"
#include "instructions/measure_forms.h"
#include "instructions/planner.h"

namespace cyclescope::blocks {

// A row for each, unset where `is_over` ended it first. They are measured together, so that the
// visits to one of them lie apart in time.
std::vector<std::optional<BlockRow>> MeasureBlocks(instructions::Bench& bench,
                                                   instructions::Planner& planner,
                                                   std::span<const Block> blocks,
                                                   const measure::IsOver& is_over = {});

// Adds what llvm-mca predicts to a row that was measured.
void PredictBlock(instructions::Planner& planner, const Block& block, bool filters_system_calls,
                  bool timeline, BlockRow& row);

// Instructions that were measured for an earlier snippet, by their text.
using KnownParts = std::map<std::string, InstructionRow, std::less<>>;

// Adds what binds the snippet to a row that was measured. The snippet's instructions are measured
// one by one for that, but for those that are known.
void ExplainBlock(instructions::Bench& bench, instructions::Planner& planner, const Block& block,
                  const measure::IsOver& is_over, KnownParts& known, BlockRow& row);

// The snippet's instructions, where each of them runs once in an iteration; empty where bytes are
// none, or an inner loop runs some of them more often.
std::vector<assembler::Instruction> IterationOf(instructions::Planner& planner, const Block& block,
                                                bool filters_system_calls);

}  // namespace cyclescope::blocks
