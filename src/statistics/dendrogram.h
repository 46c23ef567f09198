// Hierarchical clustering with average linkage: which clusters are merged, and at what distance.
// Average linkage, since one disturbed pair must neither join two clusters (as single linkage
// would) nor keep one apart (as complete linkage would).
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace cyclescope::statistics {

struct Merge {
  std::size_t left = 0;  // a member of each of the two clusters
  std::size_t right = 0;
  double distance = 0;  // mean over the pairs between them
};

// All merges of `count` items, in ascending order of distance: one fewer than there are items.
// `distance` is symmetric; NaN where unknown. Takes time and memory in the square of `count` (the
// nearest-neighbour chain: F. Murtagh, The Computer Journal 26, 1983).
std::vector<Merge> Cluster(std::size_t count,
                           const std::function<double(std::size_t, std::size_t)>& distance);

}  // namespace cyclescope::statistics
