#include "anatomy/witnessed_looks.h"

#include <algorithm>

namespace cyclescope::anatomy {
namespace {

// Looks between two at the witness. The core may become shared at any time, and some neighbours
// come and go within a millisecond.
constexpr std::size_t kLooksInSegment = 5;
// Where looks at the witness stand in a list of looks.
constexpr std::size_t kBeyondPlace = 1;
constexpr std::size_t kWitnessPlace = 2;

}  // namespace

WitnessedLooks::WitnessedLooks(const SharingWitness* witness, const arch::WindowFiller& filler,
                               std::span<const int> counts)
    : has_witness_(witness != nullptr) {
  looks_.push_back({&filler, kFillersSideBySide});
  if (has_witness_) {
    looks_.push_back(witness->LookBeyond());
    looks_.push_back(witness->Look());
  }
  for (std::size_t at = 0; at < counts.size(); at += kLooksInSegment) {
    Segment segment{.before = looks_.size() - 1, .first = looks_.size()};
    for (const int count : counts.subspan(at, std::min(kLooksInSegment, counts.size() - at)))
      looks_.push_back({&filler, count});
    segment.behind = looks_.size();
    if (has_witness_) looks_.push_back(witness->Look());
    segments_.push_back(segment);
  }
}

void WitnessedLooks::Add(const Segment& segment, std::span<const double> overlaps,
                         SortedPoints& sorted) const {
  bool is_alone = true;
  if (has_witness_) {
    is_alone = SharingWitness::Fits(overlaps[segment.before]);
    // The core changed in between.
    if (is_alone != SharingWitness::Fits(overlaps[segment.behind])) return;
  }
  std::vector<OverlapPoint>& points = is_alone ? sorted.own : sorted.shared;
  for (std::size_t i = segment.first; i < segment.behind; ++i)
    points.push_back({looks_[i].fillers, overlaps[i]});
}

SortedPoints WitnessedLooks::Sort(const OverlapVisit& visit) const {
  SortedPoints sorted;
  for (const std::vector<double>& overlaps : OverlapsOf(visit)) {
    ++sorted.repeats;
    const bool is_alone = !has_witness_ || SharingWitness::Fits(overlaps[kWitnessPlace]);
    sorted.alone += is_alone ? 1 : 0;
    if (has_witness_ && is_alone && SharingWitness::Fits(overlaps[kBeyondPlace])) {
      ++sorted.larger;
      continue;
    }
    for (const Segment& segment : segments_) Add(segment, overlaps, sorted);
  }
  return sorted;
}

}  // namespace cyclescope::anatomy
