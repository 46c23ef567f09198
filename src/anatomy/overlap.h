// Times of two misses with fillers between them, and how much of them overlapped.
#pragma once

namespace cyclescope::anatomy {

// How long one trip of a kernel takes, with both heads in one chain and in two.
struct HeadTimes {
  double one_chain_ns = 0;
  double two_chains_ns = 0;
};

struct OverlapPoint {
  int fillers = 0;
  // 1 where the misses overlap as much as with no fillers between them, 0 where they do not.
  double overlap = 0;
};

// Both plateaus are of the same moment: memory is faster at one time than at another. Not a number
// where the heads do not overlap even side by side.
double OverlapOf(const HeadTimes& times, const HeadTimes& side_by_side);

}  // namespace cyclescope::anatomy
