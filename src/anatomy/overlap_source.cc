#include "anatomy/overlap_source.h"

#include "statistics/statistics.h"

namespace cyclescope::anatomy {

std::vector<std::vector<double>> OverlapsOf(const OverlapVisit& visit) {
  const auto median_of = [&visit](double HeadTimes::* chain) {
    std::vector<double> times;
    for (const std::vector<HeadTimes>& repeat : visit.repeats)
      times.push_back(repeat.front().*chain);
    return statistics::Median(times);
  };
  const HeadTimes side_by_side = {median_of(&HeadTimes::one_chain_ns),
                                  median_of(&HeadTimes::two_chains_ns)};
  std::vector<std::vector<double>> overlaps;
  for (const std::vector<HeadTimes>& repeat : visit.repeats) {
    std::vector<double>& row = overlaps.emplace_back();
    for (const HeadTimes& times : repeat) row.push_back(OverlapOf(times, side_by_side));
  }
  return overlaps;
}

}  // namespace cyclescope::anatomy
