#include "anatomy/overlap.h"

namespace cyclescope::anatomy {

std::vector<OverlapPoint> OverlapOf(const OverlapVisit& visit) {
  std::vector<OverlapPoint> points;
  const OverlapSample& free = visit.side_by_side;
  const double saved = 1 - free.two_chains_ns / free.one_chain_ns;
  // Heads that do not overlap even side by side show nothing.
  if (!(saved > 0)) return points;
  for (const OverlapSample& sample : visit.samples) {
    points.push_back({sample.fillers, (1 - sample.two_chains_ns / sample.one_chain_ns) / saved});
  }
  return points;
}

}  // namespace cyclescope::anatomy
