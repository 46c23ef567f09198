// The size of a buffer from what fits while the core is ours and while it is shared.
//
// Some buffers take no group of instructions unless more entries are free than it needs: of a
// Golden Cove's reorder buffer of 512 entries, 500 are ever used. How many are kept free shows where
// the core splits the buffer between two threads, since as many are kept free of each half:
//
//   whole = size - kept free        part = size / 2 - kept free
//
//   if (const auto split = SplitInHalves(whole, part)) Use(split->size, split->kept_free);
#pragma once

#include <optional>

#include "cyclescope/result/anatomy.h"

namespace cyclescope::anatomy {

struct SplitWindow {
  AnatomyValue size;  // with the entries that are kept free
  AnatomyValue part;  // of one thread, likewise
  double kept_free = 0;
};

// `whole` and `part` are what fits, with the ends of the fall that are possible. Nothing where the
// part is not about the half, or where nothing is clearly kept free.
std::optional<SplitWindow> SplitInHalves(const AnatomyValue& whole, const AnatomyValue& part);

}  // namespace cyclescope::anatomy
