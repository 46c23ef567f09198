// Times of two misses with fillers between them, and how much of them overlapped.
#pragma once

#include <vector>

namespace cyclescope::anatomy {

// How one trip of a kernel with so many fillers took, with both heads in one chain and in two.
struct OverlapSample {
  int fillers = 0;
  double one_chain_ns = 0;
  double two_chains_ns = 0;
};

// One look at some numbers of fillers, while the core was in one state.
struct OverlapVisit {
  bool shared = false;  // another thread had a part of the core
  // With next to no fillers: both heads fit into any window.
  OverlapSample side_by_side;
  std::vector<OverlapSample> samples;
};

struct OverlapPoint {
  int fillers = 0;
  // 1 where the misses overlap as much as with no fillers between them, 0 where they do not.
  double overlap = 0;
};

// Of a visit. Both plateaus are those of the visit itself: memory is faster at one time than at
// another.
std::vector<OverlapPoint> OverlapOf(const OverlapVisit& visit);

}  // namespace cyclescope::anatomy
