#include "anatomy/step_search.h"

#include <algorithm>
#include <cmath>

namespace cyclescope::anatomy {
namespace {

constexpr int kFewestFillers = 8;
constexpr int kInWholeRange = 10;  // points
// Between the two sides of a step that is known only roughly.
constexpr int kBetween = 5;
// Where the sides are this near, what follows are confirmations.
constexpr int kConfirmedGapFillers = 6;
constexpr int kMaxPointsAround = 15;  // points
constexpr int kFillersAround =
    4;  // fillers before and behind a step that belong to its surroundings
// A step that does not become clear by then will not.
constexpr int kMaxUnclearVisits = 6;  // visits
constexpr int kMostVisits = 20;

std::vector<int> Sorted(std::vector<int> counts) {
  std::ranges::sort(counts);
  const auto [first, last] = std::ranges::unique(counts);
  counts.erase(first, last);
  return counts;
}

}  // namespace

// At equal ratios; at every visit in other places.
std::vector<int> StepSearch::WholeRange() const {
  std::vector<int> counts;
  const double ratio =
      std::pow(static_cast<double>(most_fillers_) / kFewestFillers, 1.0 / (kInWholeRange - 1));
  const double shift = std::pow(ratio, -0.5 * (visits_ % 2));
  for (int i = 0; i < kInWholeRange; ++i) {
    const double fillers =
        kFewestFillers * std::pow(ratio, i) * (i == kInWholeRange - 1 ? 1 : shift);
    counts.push_back(std::max(kFewestFillers / 2, static_cast<int>(std::lround(fillers))));
  }
  return Sorted(std::move(counts));
}

bool StepSearch::LooksAround() const {
  return reading_.step && reading_.step->high - reading_.step->earliest_end <= kConfirmedGapFillers;
}

bool StepSearch::AreAround(std::span<const OverlapPoint> points) const {
  constexpr std::ptrdiff_t kMinPointsAround = 8;
  const Step& step = *reading_.step;
  return std::ranges::count_if(points, [&step](const OverlapPoint& point) {
           return point.fillers >= step.low - kFillersAround &&
                  point.fillers <= step.high + kFillersAround;
         }) >= kMinPointsAround;
}

std::vector<int> StepSearch::Next() const {
  if (!reading_.step) return WholeRange();
  const int low = std::max(reading_.step->low, 1);
  const int high = std::max(reading_.step->high + 1, low + 1);
  const int gap = high - low;
  std::vector<int> counts;
  if (!LooksAround()) {
    // The sides again, too: one wrong sample must not lead away from the step.
    for (int i = 0; i <= kBetween + 1; ++i) counts.push_back(low + gap * i / (kBetween + 1));
    counts.push_back(std::max(1, low - gap));
    counts.push_back(std::min(most_fillers_, high + gap));
  } else {
    for (int count = low - kFillersAround; count <= high + kFillersAround; ++count)
      counts.push_back(count);
    for (const int away : {8, 12}) {
      counts.push_back(low - away);
      counts.push_back(high + away);
    }
    std::erase_if(counts, [this](int count) { return count < 1 || count > most_fillers_; });
  }
  counts = Sorted(std::move(counts));
  // Every second of too many, in turn.
  while (counts.size() > kMaxPointsAround) {
    std::size_t place = 0;
    std::erase_if(counts,
                  [&](int) { return (place++ + static_cast<std::size_t>(visits_)) % 2 == 0; });
  }
  return counts;
}

void StepSearch::Add(std::span<const OverlapPoint> points) {
  if (LooksAround() && AreAround(points)) ++confirmed_;
  points_.insert(points_.end(), points.begin(), points.end());
  reading_ = ReadStep(points_);
  ++visits_;
}

bool StepSearch::IsDone() const {
  if (visits_ >= kMostVisits) return true;
  if (reading_.end != StepEnd::kFound) return visits_ >= kMaxUnclearVisits;
  return confirmed_ >= confirmations_;
}

}  // namespace cyclescope::anatomy
