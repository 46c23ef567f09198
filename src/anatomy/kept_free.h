// How many entries of a buffer are never used.
//
// Some buffers take no group of instructions unless more entries are free than it needs: of a
// Golden Cove's reorder buffer of 512 entries, 500 are ever used. That shows where the core splits
// the buffer between two threads, since as many are kept free of each half:
//
//   whole = size - kept free        part = size / 2 - kept free
//
//   if (const auto kept = EntriesKeptFree(seen)) size = whole + kept->value;
#pragma once

#include <optional>
#include <span>

#include "cyclescope/result/anatomy.h"

namespace cyclescope::anatomy {

// The most that a core keeps free. A Golden Cove keeps as many as it allocates in two cycles, and
// no core allocates more than eight in one.
inline constexpr double kMostKeptFree = 16;

// What fits while the core is ours and while it is shared, with the ends of the fall that are
// possible.
struct WholeAndPart {
  AnatomyValue whole;
  AnatomyValue part;
};

// By all fillers of one buffer together. Nothing where the parts are not about the half, or where
// nothing is clearly kept free.
std::optional<AnatomyValue> EntriesKeptFree(std::span<const WholeAndPart> seen);

}  // namespace cyclescope::anatomy
