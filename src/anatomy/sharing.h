// Whether the core was ours alone while something was looked at, told by a window itself: where a
// core runs two threads, its buffers are split between them as long as both run. That shows in
// every look, and more sharply than in how fast the core adds.
//
// The witness is a filler whose window is split. At a count between the two sizes its misses
// overlap while the core is ours, and do not while it is shared. Which sizes there are is learnt:
// the largest that was ever seen counts as the whole one, until a larger one shows.
//
//   SharingWitness witness(filler);
//   while (!witness.IsReady()) witness.Learn(overlaps of witness.WholeRange(), one visit);
//   ... witness.Look() before and behind others ...
//   if (witness.IsAlone(its overlap)) ...
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "anatomy/overlap_source.h"

namespace cyclescope::anatomy {

class SharingWitness {
 public:
  explicit SharingWitness(const arch::WindowFiller& filler) : filler_(&filler) {}

  // Looks over all sizes that a window may have, for learning.
  std::vector<OverlapLook> WholeRange() const;
  // What they showed at one time.
  void Learn(std::span<const OverlapPoint> points);
  // True if it can tell anything.
  bool IsReady() const { return largest_.has_value(); }

  // Overlaps here only where the window is as large as was ever seen.
  OverlapLook Look() const;
  // Overlaps here only where it is larger: then what was taken for the whole is a part.
  OverlapLook LookBeyond() const;
  // What an overlap at either means.
  static bool Fits(double overlap);

 private:
  const arch::WindowFiller* filler_;
  std::vector<double> sizes_;      // fillers that fitted, at all times
  std::optional<double> largest_;  // of these
};

}  // namespace cyclescope::anatomy
