// The cycle of a graph that takes longest for each iteration it spans: what binds a loop whose
// iterations wait for each other.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cyclescope::predict {

struct DependenceEdge {
  std::size_t from = 0;
  std::size_t to = 0;
  double cycles = 0;
  int iterations = 0;  // 0: within one; 1: to the next
};

struct CriticalCycle {
  double cycles = 0;               // per iteration
  std::vector<std::size_t> edges;  // once round, in order; empty where no cycle spans an iteration
};

// The exact maximum over all cycles of the sum of cycles by the sum of iterations, by R. A.
// Howard's policy iteration (as in A. Dasdan, "Experimental analysis of the fastest optimum cycle
// ratio and mean algorithms", 2004). Edges within one iteration make no cycle by themselves.
CriticalCycle LongestCycle(std::size_t nodes, std::span<const DependenceEdge> edges);

}  // namespace cyclescope::predict
