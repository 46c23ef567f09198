#include "anatomy/code_alignment.h"

#include <algorithm>
#include <cmath>

#include "anatomy/branch_targets.h"
#include "statistics/statistics.h"

namespace cyclescope::anatomy {
namespace {

constexpr std::int64_t kPlaceBytes = 4;
constexpr std::size_t kPlaces = kLineBytes / kPlaceBytes;
// Each place: the middle of several times, so that one that was disturbed is not the slowest.
constexpr std::size_t kRepeatsOfPlace = 5;
constexpr std::size_t kRepeatsOfPair = 7;
constexpr double kWantedErrorOfTrip = 0.01;  // of its time

CurvePoint PlaceOf(std::int64_t bytes, const std::vector<CodeTime>& times) {
  const bool shared = 2 * std::ranges::count_if(times, &CodeTime::shared) >
                      static_cast<std::ptrdiff_t>(times.size());
  std::vector<double> cycles;
  double error = 0;
  for (const CodeTime& time : times) {
    if (time.shared != shared) continue;
    cycles.push_back(time.cycles);
    error = std::max(error, time.error);
  }
  return {static_cast<double>(bytes), statistics::Median(cycles), error, shared};
}

// The difference was looked for in the slowest and the fastest of many times, which noise alone
// makes differ. So both are measured again.
std::optional<CodeTime> DifferenceAgain(CodeTimes& times, const CodePattern& slowest,
                                        const CodePattern& fastest, double fastest_cycles) {
  const std::vector<PatternPair> pairs(kRepeatsOfPair, {slowest, fastest});
  std::vector<double> cycles;
  CodeTime lost;
  for (const auto& each : times.MeasureDifferences(pairs, kWantedErrorOfTrip * fastest_cycles)) {
    if (!each) continue;
    cycles.push_back(each->cycles);
    lost.error = std::max(lost.error, each->error);
    lost.shared |= each->shared;
  }
  if (2 * cycles.size() < kRepeatsOfPair) return std::nullopt;
  lost.cycles = std::max(statistics::Median(cycles), 0.0);
  return lost;
}

}  // namespace

CodePattern AlignedLoop(std::int64_t instructions, std::int64_t bytes_behind_line) {
  return {.kind = PatternKind::kAligned, .count = instructions, .stride = bytes_behind_line};
}

AlignmentCost MeasureAlignment(CodeTimes& times, std::int64_t instructions) {
  AlignmentCost cost{.instructions = instructions};
  std::vector<CodePattern> patterns;
  for (std::size_t i = 0; i < kRepeatsOfPlace * kPlaces; ++i) {
    patterns.push_back(
        AlignedLoop(instructions, static_cast<std::int64_t>(i % kPlaces) * kPlaceBytes));
  }
  const auto measured = times.Measure(patterns);
  for (std::size_t place = 0; place < kPlaces; ++place) {
    std::vector<CodeTime> of_place;
    for (std::size_t i = place; i < measured.size(); i += kPlaces) {
      if (measured[i]) of_place.push_back(*measured[i]);
    }
    if (!of_place.empty()) cost.points.push_back(PlaceOf(patterns[place].stride, of_place));
  }
  if (cost.points.size() < kPlaces) return cost;
  const auto [fastest, slowest] = std::ranges::minmax(cost.points, {}, &CurvePoint::value);
  const auto pattern_of = [&](const CurvePoint& point) {
    return AlignedLoop(instructions, std::llround(point.at));
  };
  cost.lost = DifferenceAgain(times, pattern_of(slowest), pattern_of(fastest), fastest.value);
  return cost;
}

}  // namespace cyclescope::anatomy
