#include "anatomy/sharing.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "anatomy/read_step.h"

namespace cyclescope::anatomy {
namespace {

// Of the largest size. Windows are halved, or cut to two thirds, while a core is shared.
constexpr double kBelowRatio = 0.7;
constexpr double kBeyondRatio = 1.35;
// Sizes that are nearer to each other than this ratio are one. This number of them are no accident,
// if they are at least this share of all.
constexpr double kSameSizeRatio = 0.85;
constexpr std::size_t kSizesToAgree = 4;
constexpr std::size_t kMinShareOfSizes = 20;  // a twentieth
// Overlap is about 0.7 where a window's end is near, and none behind it.
constexpr double kOverlapThreshold = 0.35;

// Overlap before the step, and none behind it. What was disturbed goes up again.
bool FallsOnce(std::span<const OverlapPoint> points, const Step& step) {
  return std::ranges::all_of(points, [&step](const OverlapPoint& point) {
    const bool overlaps = SharingWitness::Fits(point.overlap);
    return point.fillers <= step.low ? overlaps : point.fillers < step.high || !overlaps;
  });
}

}  // namespace

std::vector<OverlapLook> SharingWitness::WholeRange() const {
  constexpr int kFirst = 16;
  constexpr int kLast = 700;
  constexpr double kRatio = 1.25;
  std::vector<OverlapLook> looks;
  for (double fillers = kFirst; fillers < kLast; fillers *= kRatio)
    looks.push_back({filler_, static_cast<int>(std::lround(fillers))});
  return looks;
}

void SharingWitness::Learn(std::span<const OverlapPoint> points) {
  const StepReading reading = ReadStep(points);
  if (!reading.step || reading.step->is_contradicted || !FallsOnce(points, *reading.step)) return;
  sizes_.push_back(reading.step->fits);
  std::ranges::sort(sizes_, std::greater{});
  // The largest that repeats: a single one may be wrong.
  const std::size_t enough = std::max(kSizesToAgree, sizes_.size() / kMinShareOfSizes);
  for (std::size_t i = 0; i + enough <= sizes_.size(); ++i) {
    if (sizes_[i + enough - 1] < kSameSizeRatio * sizes_[i]) continue;
    largest_ = sizes_[i + enough / 2];
    return;
  }
}

OverlapLook SharingWitness::Look() const {
  return {filler_, static_cast<int>(std::lround(*largest_ * kBelowRatio))};
}

OverlapLook SharingWitness::LookBeyond() const {
  return {filler_, static_cast<int>(std::lround(*largest_ * kBeyondRatio))};
}

bool SharingWitness::Fits(double overlap) { return overlap > kOverlapThreshold; }

}  // namespace cyclescope::anatomy
