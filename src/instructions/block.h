// A snippet as a program has it: cycles per iteration.
//
// Nobody knows what a piece of real code wants to find in registers and memory. So it is tried out
// first (block_setup.h): memory appears where it is touched, and registers get other values when
// the first ones do not do.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assembler/assembler.h"
#include "cyclescope/block_loop.h"
#include "instructions/block_code.h"
#include "instructions/block_kernel.h"
#include "instructions/block_setup.h"
#include "instructions/measure_forms.h"
#include "instructions/planner.h"
#include "result/instruction.h"

namespace cyclescope::instructions {

struct Block {
  std::string name;  // of a region of a file; may be empty
  std::string text;  // for the row
  assembler::Bytes bytes;
  std::vector<assembler::Instruction> instructions;  // empty for raw bytes
  bool raw = false;                                  // given as bytes
  bool part = false;                                 // of a compiler's file
  std::string init_text;
  assembler::Bytes init;  // runs once before
  std::vector<assembler::Instruction> init_instructions;
  BlockLoop loop = BlockLoop::kUnrolled;
  std::optional<int> unroll;  // copies; as many as make a good sample when unset
  std::optional<int> trips;   // of a loop with a branch of its own; many when unset

  // What the user wants to be there at first.
  std::map<int, std::uint64_t> registers;  // general ones, by number
  std::vector<VectorValue> vectors;
  std::optional<MemoryValues> memory;
  std::vector<std::uint8_t> memory_contents;  // for kGiven
  // Every general register holds the address of 64 KiB of memory (its middle, with room on both
  // sides), whose every eight bytes hold that address too, and nothing else is mapped.
  bool strict = false;
};

// A snippet that is ready to be set up and run in one way or another.
struct BlockSubject {
  BlockRow row;  // what is known before anything is measured; its status says why it is not run
  bool refused = false;
  BlockCode code;
  bool knows_count = true;  // how many instructions one iteration executes
  bool filters_system_calls = true;
  bool is_loop = false;  // with a branch of its own: an iteration is a trip
};
BlockSubject ReadBlock(Planner& planner, const Block& block, bool filters_system_calls);

struct BlockPlan {
  BlockRow row;
  std::optional<measure::Experiment> experiment;
  std::size_t prologue_bytes = 0;  // what stands before the snippet's first copy in the kernels
  std::size_t snippet_bytes = 0;
  bool knows_count = true;
  bool moves_stack = false;
  bool traps = false;            // it holds an instruction that ends a program, or asks the system
  double least_body_cycles = 0;  // with fewer, the copies that the user wants tell nothing
};

// One way to run it; `pages` are those that faults have asked for so far.
BlockPlan PlanBlock(Planner& planner, const Block& block, const BlockSubject& subject,
                    const Setup& setup, const std::set<std::uint64_t>& pages,
                    const sandbox::KernelPlaces& places);
BlockRow ConcludeBlock(const BlockPlan& plan, const measure::Measurement& measurement,
                       const Circumstances& circumstances);

// Adds what llvm-mca predicts and what binds the snippet to a row that was measured. The snippet's
// instructions are measured one by one for that.
void ExplainBlock(Bench& bench, Planner& planner, const Block& block, bool timeline,
                  const measure::IsOver& is_over, BlockRow& row);

// A row for each, unset where `is_over` ended it first. They are measured together, so that the
// visits to one of them lie apart in time.
std::vector<std::optional<BlockRow>> MeasureBlocks(Bench& bench, Planner& planner,
                                                   std::span<const Block> blocks,
                                                   const measure::IsOver& is_over = {});

}  // namespace cyclescope::instructions
