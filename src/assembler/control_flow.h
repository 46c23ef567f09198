// Loops of a control-flow graph: dominators, and the natural loops that follow from them.
//
//   const std::vector<std::vector<std::size_t>> next = {{1}, {1, 2}, {}};
//   InnermostLoops(next, 0);  // one loop: header 1, body {1}
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cyclescope::assembler {

// Blocks by number; what each may be followed by.
using FlowGraph = std::span<const std::vector<std::size_t>>;

struct NaturalLoop {
  std::size_t header = 0;         // every way into the loop leads here
  std::vector<std::size_t> body;  // all of its blocks, the header too, in ascending order
};

// The blocks that can be reached from `entry`, in reverse postorder.
std::vector<std::size_t> ReachableFrom(FlowGraph next, std::size_t entry);

// Of the blocks that can be reached from `entry`: the natural loops. Edges back to one header make
// one loop (A. V. Aho and others, "Compilers", section 9.6). Code that can be entered at two places
// of a cycle has no header there, and so no loop.
std::vector<NaturalLoop> NaturalLoops(FlowGraph next, std::size_t entry);

// Those that hold no other.
std::vector<NaturalLoop> InnermostLoops(FlowGraph next, std::size_t entry);

}  // namespace cyclescope::assembler
