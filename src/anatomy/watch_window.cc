#include "anatomy/watch_window.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "anatomy/read_step.h"
#include "anatomy/sharing.h"
#include "statistics/statistics.h"

namespace cyclescope::anatomy {

std::optional<WindowWatch> ReadWindowWatch(std::span<const double> sizes) {
  // Looks are a quarter of the size apart, and a thread that shares a core takes a third or half.
  constexpr double kSameSizeRatio = 0.8;
  constexpr double kPartRatio = 0.7;
  constexpr std::size_t kSizesToCompare = 3;
  std::vector<double> falling(sizes.begin(), sizes.end());
  std::ranges::sort(falling, std::greater{});
  for (std::size_t i = 0; i + kSizesToCompare <= falling.size(); ++i) {
    if (falling[i + kSizesToCompare - 1] < kSameSizeRatio * falling[i]) continue;
    std::vector<double> alike;
    std::vector<double> smaller;
    for (const double size : std::span(falling).subspan(i)) {
      if (size >= kSameSizeRatio * falling[i]) alike.push_back(size);
      if (size < kPartRatio * falling[i]) smaller.push_back(size);
    }
    WindowWatch watch{.whole = statistics::Median(alike)};
    if (smaller.size() >= kSizesToCompare) {
      watch.part = statistics::Median(smaller);
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
  std::vector<double> sizes;
  for (int i = 0; i < visits; ++i) {
    const auto visit = source.Visit(looks);
    if (!visit) return std::unexpected(visit.error());
    for (const std::vector<double>& overlaps : OverlapsOf(*visit)) {
      std::vector<OverlapPoint> points;
      for (std::size_t k = 1; k < overlaps.size(); ++k)
        points.push_back({looks[k].fillers, overlaps[k]});
      const StepReading reading = ReadStep(points);
      if (reading.step) sizes.push_back(reading.step->fits + arch::EntriesOfHeads(filler.window));
    }
  }
  return ReadWindowWatch(sizes);
}

}  // namespace cyclescope::anatomy
