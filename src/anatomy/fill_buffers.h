// How many misses a core has under way at once: the buffers that lines wait in on their way to the
// first cache.
//
// k chains of misses, one step of each in turn, take as long as one while all k are under way
// together, and longer by each one that has to wait for a buffer. So k times the time of one chain
// over that of k chains grows with k, and stays where it is when the buffers are full.
//
// Misses that are under way together slow each other down, so that this level is a little lower
// than the number of buffers (a buffer is taken for longer than a miss takes alone), and is reached
// with a few chains more. The buffers are between the two.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "anatomy/overlap_source.h"
#include "cyclescope/result/anatomy.h"

namespace cyclescope::anatomy {

struct ChainsPoint {
  int chains = 0;
  double at_once = 0;  // misses
};

struct FillBuffers {
  double value = 0;
  double low = 0;
  double high = 0;
  bool at_least = false;  // it still grew at the end
};

// Points in rising order of chains. Unset where the misses do not come at once at all, or nothing
// steady is reached.
std::optional<FillBuffers> ReadFillBuffers(std::span<const ChainsPoint> points);

AnatomyRow MeasureFillBuffers(OverlapSource& source);

}  // namespace cyclescope::anatomy
