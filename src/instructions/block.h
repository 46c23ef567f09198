// A snippet exactly as written: cycles per iteration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assembler/assembler.h"
#include "cyclescope/block_loop.h"
#include "instructions/measure_forms.h"
#include "instructions/planner.h"
#include "result/instruction.h"

namespace cyclescope::instructions {

struct Block {
  std::string text;  // for the row
  assembler::Bytes bytes;
  std::vector<assembler::Instruction> instructions;  // empty for raw bytes
  bool raw = false;                                  // given as bytes: nobody knows what it does
  std::string init_text;
  assembler::Bytes init;  // runs once before
  std::vector<assembler::Instruction> init_instructions;
  BlockLoop loop = BlockLoop::kUnrolled;
  std::optional<int> unroll;  // copies; as many as make a good sample when unset
};

// At the start every general register holds the address of 64 KiB of memory (its middle, with room
// on both sides). Every eight bytes of that memory hold the same address, so that loads, stores and
// pointer chases work. One register that the snippet does not name counts its loops. Vector
// registers hold numbers between 1 and 2.
struct BlockPlan {
  BlockRow row;  // what is known before anything is measured; its status says why it is not run
  std::optional<measure::Experiment> experiment;
  std::size_t prologue_bytes = 0;  // what stands before the snippet's first copy in the kernels
  std::size_t snippet_bytes = 0;
  bool knows_count = true;  // how many instructions one iteration executes
};

BlockPlan PlanBlock(Planner& planner, const Block& block, bool filters_system_calls);
BlockRow ConcludeBlock(const BlockPlan& plan, const measure::Measurement& measurement,
                       const Circumstances& circumstances);
// Unset where `is_over` ended it.
std::optional<BlockRow> MeasureBlock(Bench& bench, Planner& planner, const Block& block,
                                     const measure::IsOver& is_over = {});

}  // namespace cyclescope::instructions
