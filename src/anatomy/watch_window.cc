#include "anatomy/watch_window.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "anatomy/read_step.h"
#include "anatomy/sharing.h"
#include "base/try.h"

namespace cyclescope::anatomy {
namespace {

using statistics::Interval;

double MiddleOf(const Interval& size) { return (size.low + size.high) / 2; }

Interval MedianOf(std::span<const Interval> sizes) {
  std::vector<double> low, high;
  for (const Interval& size : sizes) {
    low.push_back(size.low);
    high.push_back(size.high);
  }
  return {.low = statistics::Median(low), .high = statistics::Median(high)};
}

}  // namespace

std::optional<WindowWatch> ReadWindowWatch(std::span<const Interval> sizes) {
  // Looks are a quarter of the size apart, and a thread that shares a core takes a third or half.
  constexpr double kSameSizeRatio = 0.8;
  constexpr double kPartRatio = 0.7;
  constexpr std::size_t kSizesToCompare = 3;
  std::vector<Interval> falling(sizes.begin(), sizes.end());
  std::ranges::sort(falling, std::greater{}, MiddleOf);
  for (std::size_t i = 0; i + kSizesToCompare <= falling.size(); ++i) {
    const double largest = MiddleOf(falling[i]);
    if (MiddleOf(falling[i + kSizesToCompare - 1]) < kSameSizeRatio * largest) continue;
    std::vector<Interval> alike;
    std::vector<Interval> smaller;
    for (const Interval& size : std::span(falling).subspan(i)) {
      if (MiddleOf(size) >= kSameSizeRatio * largest) alike.push_back(size);
      if (MiddleOf(size) < kPartRatio * largest) smaller.push_back(size);
    }
    WindowWatch watch{.whole = MedianOf(alike)};
    if (smaller.size() >= kSizesToCompare) {
      watch.part = MedianOf(smaller);
      watch.part_share = static_cast<double>(smaller.size()) / static_cast<double>(sizes.size());
    }
    return watch;
  }
  return std::nullopt;
}

Result<std::optional<WindowWatch>> WatchWindow(const arch::WindowFiller& filler,
                                               OverlapSource& source, int visits) {
  std::vector<OverlapLook> looks = SharingWitness(filler).WholeRange();
  looks.insert(looks.begin(), {&filler, kFillersSideBySide});
  const double heads = arch::EntriesOfHeads(filler.window);
  std::vector<Interval> sizes;
  for (int i = 0; i < visits; ++i) {
    const auto visit = TRY(source.Visit(looks));
    for (const std::vector<double>& overlaps : OverlapsOf(visit)) {
      std::vector<OverlapPoint> points;
      for (std::size_t k = 1; k < overlaps.size(); ++k)
        points.push_back({looks[k].fillers, overlaps[k]});
      const StepReading reading = ReadStep(points);
      if (reading.step)
        sizes.push_back({reading.step->earliest_end + heads, reading.step->high + heads});
    }
  }
  return ReadWindowWatch(sizes);
}

}  // namespace cyclescope::anatomy
