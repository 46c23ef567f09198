#include "anatomy/fill_buffers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "anatomy/row_claims.h"
#include "statistics/statistics.h"

namespace cyclescope::anatomy {
namespace {

constexpr std::array kChains = {1,  2,  4,  6,  8,  10, 12, 14, 16, 18, 20, 22,
                                24, 26, 28, 30, 32, 36, 40, 44, 48, 54, 60, 64};
// Rounds while the core was ours, and in all. While it is shared, its buffers are, too.
constexpr std::size_t kQuietChainRounds = 9;
constexpr int kMostChainRounds = 40;

}  // namespace

std::optional<FillBuffers> ReadFillBuffers(std::span<const ChainsPoint> points) {
  // Buffers are full where this share of the chains is not under way at once, and for good.
  constexpr double kFullShare = 0.75;
  constexpr double kMaxHalfSpreadShare = 0.2;
  constexpr std::size_t kMinPointsAtFull = 4;
  std::vector<double> full;
  for (const ChainsPoint& point : points) {
    if (point.at_once < kFullShare * point.chains) full.push_back(point.at_once);
  }
  if (points.empty()) return std::nullopt;
  if (full.size() < kMinPointsAtFull) {
    const ChainsPoint& last = points.back();
    if (last.at_once < kFullShare * last.chains) return std::nullopt;
    return FillBuffers{last.at_once, last.at_once, last.at_once, /*at_least=*/true};
  }
  const double value = statistics::Median(full);
  const auto [low, high] = std::ranges::minmax(full);
  if (value < 2 || high - low > 2 * kMaxHalfSpreadShare * value) return std::nullopt;
  constexpr double kAsManyAsEver = 0.97;
  const auto enough = std::ranges::find_if(
      points, [value](const ChainsPoint& point) { return point.at_once >= kAsManyAsEver * value; });
  const double chains = std::max<double>(enough->chains, value);
  return FillBuffers{(value + chains) / 2, low, std::max(chains, high)};
}

AnatomyRow MeasureFillBuffers(OverlapSource& source) {
  AnatomyRow row = {.part = AnatomyPart::kMemoryPipeline,
                    .name = "fill buffers",
                    .filler = "misses of several chains, one step of each in turn",
                    .unit = "entries"};
  std::vector<ChainsVisit> visits;
  const auto is_quiet = [&source](const ChainsVisit& visit) { return source.IsQuiet(visit.width); };
  const auto quiet = [&] {
    return static_cast<std::size_t>(std::ranges::count_if(visits, is_quiet));
  };
  for (int round = 0; round < kMostChainRounds && quiet() < kQuietChainRounds; ++round) {
    auto visit = source.TimeChains(kChains);
    if (!visit) {
      row.status = Status::kCrashed;
      row.reason = visit.error().ToString();
      return row;
    }
    visits.push_back(std::move(*visit));
  }
  const bool was_shared = quiet() < kQuietChainRounds;
  if (!was_shared)
    std::erase_if(visits, [&](const ChainsVisit& visit) { return !is_quiet(visit); });
  const auto least_ns = [&visits](std::size_t i) {
    double least = visits.front().trip_ns[i];
    for (const ChainsVisit& visit : visits) least = std::min(least, visit.trip_ns[i]);
    return least;
  };
  AnatomyCurve curve{.at_unit = "chains", .value_unit = "misses at once", .points = {}};
  std::vector<ChainsPoint> points;
  // The least of each: whatever comes in between makes a miss slower.
  const double alone_ns = least_ns(0);
  for (std::size_t i = 0; i < kChains.size(); ++i) {
    const double at_once = kChains[i] * alone_ns / least_ns(i);
    points.push_back({kChains[i], at_once});
    curve.points.push_back({static_cast<double>(kChains[i]), at_once});
  }
  row.curve = std::move(curve);
  if (const auto buffers = ReadFillBuffers(points)) {
    row.value = AnatomyValue{buffers->value, buffers->low, buffers->high};
    row.at_least = buffers->at_least;
    row.contended = was_shared;
  } else {
    MarkUnclear({ClaimCode::kNoMissPlateau, {}}, row);
  }
  return row;
}

}  // namespace cyclescope::anatomy
