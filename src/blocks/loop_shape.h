// The control flow of a snippet: one loop with one way through it or several, or code without any.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "blocks/block_code.h"

namespace cyclescope::blocks {

// A conditional branch with a way out of the loop.
struct LoopExit {
  std::size_t branch = 0;  // the number of the instruction
  bool by_jump = false;    // the branch leaves when it is taken, and goes on else
};

struct LoopShape {
  std::size_t header = 0;         // the instruction with which a trip begins
  std::vector<std::size_t> body;  // its instructions, each before those that may follow it
  std::vector<LoopExit> exits;    // in the order of the code
  // Conditional branches that stay in the loop either way, and jumps through tables.
  std::vector<std::size_t> choices;
};

// By instruction: which may come next; the number of instructions stands for the end.
std::vector<std::vector<std::size_t>> FollowersOf(const BlockCode& code);

// The loop, where all of the code is one, but for a jump to its header at the beginning, and jumps
// out.
std::optional<LoopShape> FindLoop(const BlockCode& code);

// The first instruction, in the order of the code, that a jump goes back to and from which no way
// leads to the code's end. None where there is no such, or where a jump may go anywhere.
std::optional<std::size_t> BeginOfEndless(const BlockCode& code);

// True if every trip passes one of these instructions.
bool EveryTripPasses(const BlockCode& code, const LoopShape& loop,
                     const std::vector<std::size_t>& instructions);

// The ways from the beginning of a trip, or of the code, to its end; empty where there are more
// than `most`, or a circle.
std::vector<std::vector<std::size_t>> WaysThrough(const BlockCode& code,
                                                  const std::optional<LoopShape>& loop,
                                                  std::size_t most);

// All instructions in an order in which each stands before those that may follow it; empty where
// some run in a circle.
std::vector<std::size_t> OrderWithoutLoops(const BlockCode& code);

}  // namespace cyclescope::blocks
