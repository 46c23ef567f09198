// A snippet as a program has it, and what can be said of it before it runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assembler/assembler.h"
#include "blocks/block_code.h"
#include "blocks/block_kernel.h"
#include "blocks/block_memory.h"
#include "blocks/block_setup.h"
#include "blocks/block_trips.h"
#include "blocks/loop_exits.h"
#include "cyclescope/choices.h"
#include "cyclescope/result/instruction.h"
#include "predict/dependence.h"

namespace cyclescope::blocks {

struct Block {
  std::string name;                        // of a region of a file; may be empty
  std::string side;                        // as BlockRow's
  std::string function;                    // likewise
  int line = 0;                            // likewise
  std::optional<BlockSourcePlace> source;  // likewise
  std::string text;                        // for the row
  assembler::Bytes bytes;
  std::vector<assembler::Instruction> instructions;  // empty for raw bytes
  std::vector<assembler::JumpTargets> tables;        // that jumps of it go through
  bool raw = false;                                  // given as bytes
  bool part = false;                                 // of a compiler's file
  std::vector<assembler::JumpTable> table_labels;    // what `tables` are made of
  std::vector<assembler::SymbolAddress> symbols;     // whose addresses it has
  std::vector<std::string> avoided_calls;            // on ways that are no part of it
  std::vector<int> avoided_loops;                    // as BlockSource's
  int loop_around = 0;                               // likewise
  bool inside_loop = false;                          // likewise
  std::string init_text;
  assembler::Bytes init;  // runs once before
  std::vector<assembler::Instruction> init_instructions;
  BlockLoop loop = BlockLoop::kUnrolled;
  std::optional<int> unroll;  // copies; as many as make a good sample when unset
  std::optional<int> trips;   // of a loop with a branch of its own; many when unset
  // Of a loop: bytes of its line of code at which it may begin in a program; empty: not known.
  std::vector<int> code_offsets;

  // What the user wants to be there at first.
  std::map<int, std::uint64_t> registers;  // general ones, by number
  std::vector<VectorValue> vectors;
  std::optional<MemoryValues> memory;
  std::vector<std::uint8_t> memory_contents;  // for kGiven
  std::optional<AreaData> data;
  std::optional<std::int64_t> footprint;  // bytes; half of the first-level cache when unset
  std::int64_t first_cache = 32 * 1024;   // bytes of it
  // Every general register holds the address of 64 KiB of memory (its middle, with room on both
  // sides), whose every eight bytes hold that address too, and nothing else is mapped.
  bool strict = false;
};

// A snippet that was read once, and is ready to be set up and run in one way or another, predicted
// and explained.
struct BlockSubject {
  Block block;
  BlockRow row;  // what is known before anything is measured; its status says why it is not run
  bool refused = false;
  BlockCode code;
  bool knows_count = true;  // how many instructions one iteration executes
  bool is_loop = false;     // with a branch of its own: an iteration is a trip
  // A loop that only its data end: copies of it follow each other, and its branches back lead to
  // the next.
  bool leads_on = false;
  std::optional<CountedLoop> loop;   // of is_loop
  ExitPlan exits;                    // likewise
  std::optional<TripValues> values;  // of a trip, or of the snippet
  Streams streams;
  std::vector<TableUse> tables;  // that the code jumps through
  // Where a value that the loop reads ends it, and nothing counts its trips.
  std::optional<EndOfWalk> end;

  // Memory can be laid out for it.
  bool has_areas() const {
    return values && streams.understood &&
           (!streams.by_base.empty() || !streams.pointer_loads.empty());
  }
};

// The register that the user set to the number of trips of a loop, where no other is seen to count
// them.
std::optional<int> CounterOfUser(const Block& block, const BlockCode& code);

BlockSubject ReadBlock(assembler::Assembler& assembler, Block block, bool filters_system_calls);

// True if data that a loop reads decide which way a branch inside of it goes.
bool DataDecideBranch(const BlockSubject& subject);

// One way that an iteration may go.
struct BlockWay {
  std::vector<assembler::Instruction> instructions;
  // Known only where there is no other way.
  std::vector<predict::MemoryLink> memory;
  std::vector<predict::MemoryPlace> places;
};

// All ways through the snippet, or a trip through the loop; empty where there are more than `most`,
// or its bytes are no instructions.
std::vector<BlockWay> WaysOf(const BlockSubject& subject, std::size_t most);

// The snippet's instructions, where each of them runs once in an iteration; empty where bytes are
// none, or an inner loop or a branch decides how often some of them run.
std::vector<assembler::Instruction> IterationOf(const BlockSubject& subject);

}  // namespace cyclescope::blocks
