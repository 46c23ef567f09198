// Looks at one filler with looks at a witness between them, so that each belongs to a state of the
// core: ours alone, or shared.
//
//   const WitnessedLooks itinerary(witness, filler, counts);
//   const auto visit = source.Visit(itinerary.looks());
//   if (visit) search.Add(itinerary.Sort(*visit).own);
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anatomy/overlap.h"
#include "anatomy/overlap_source.h"
#include "anatomy/sharing.h"

namespace cyclescope::anatomy {

struct SortedPoints {
  std::vector<OverlapPoint> own;     // the core was ours before and behind them
  std::vector<OverlapPoint> shared;  // it was shared before and behind them
  // Repeats of the visit: all, those that began while the core was ours, and those with a larger
  // window than was ever seen, of which no point counts.
  int repeats = 0;
  int alone = 0;
  int larger = 0;

  // One repeat may be disturbed; most of a visit's are not.
  bool WasMostlyAlone() const { return 2 * alone > repeats; }
  bool WasMostlyLarger() const { return 2 * larger > repeats; }
};

class WitnessedLooks {
 public:
  // `counts` are numbers of fillers. Without a witness (null) the core is taken for ours.
  WitnessedLooks(const SharingWitness* witness, const arch::WindowFiller& filler,
                 std::span<const int> counts);

  // The first is side by side.
  const std::vector<OverlapLook>& looks() const { return looks_; }
  // What they showed.
  SortedPoints Sort(const OverlapVisit& visit) const;

 private:
  // Some looks between two at the witness: places in the list of looks.
  struct Segment {
    std::size_t before = 0;
    std::size_t first = 0;
    std::size_t behind = 0;
  };
  void Add(const Segment& segment, std::span<const double> overlaps, SortedPoints& sorted) const;

  bool has_witness_;
  std::vector<OverlapLook> looks_;
  std::vector<Segment> segments_;
};

}  // namespace cyclescope::anatomy
