#include "anatomy/fill_buffers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "anatomy/row_claims.h"
#include "statistics/statistics.h"

namespace cyclescope::anatomy {
namespace {

constexpr std::array kChains = {1,  2,  4,  6,  8,  10, 12, 14, 16, 18, 20, 22,
                                24, 26, 28, 30, 32, 36, 40, 44, 48, 54, 60, 64};
constexpr int kRounds = 9;

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
  return FillBuffers{value, low, high};
}

AnatomyRow MeasureFillBuffers(OverlapSource& source) {
  AnatomyRow row = {.part = AnatomyPart::kMemoryPipeline,
                    .name = "fill buffers",
                    .filler = "misses of several chains, one step of each in turn",
                    .unit = "entries"};
  std::vector<std::vector<double>> times(kChains.size());
  for (int round = 0; round < kRounds; ++round) {
    const auto timed = source.TimeChains(kChains);
    if (!timed) {
      row.status = Status::kCrashed;
      row.reason = timed.error().ToString();
      return row;
    }
    for (std::size_t i = 0; i < kChains.size(); ++i) times[i].push_back((*timed)[i]);
  }
  AnatomyCurve curve{.at_unit = "chains", .value_unit = "misses at once", .points = {}};
  std::vector<ChainsPoint> points;
  // The least: while the core is shared, its buffers are, too.
  const double alone_ns = statistics::Median(times.front());
  for (std::size_t i = 0; i < kChains.size(); ++i) {
    const double at_once = kChains[i] * alone_ns / std::ranges::min(times[i]);
    points.push_back({kChains[i], at_once});
    curve.points.push_back({static_cast<double>(kChains[i]), at_once});
  }
  row.curve = std::move(curve);
  if (const auto buffers = ReadFillBuffers(points)) {
    row.value = AnatomyValue{buffers->value, buffers->low, buffers->high};
    row.at_least = buffers->at_least;
  } else {
    MarkUnclear({ClaimCode::kNoMissPlateau, {}}, row);
  }
  return row;
}

}  // namespace cyclescope::anatomy
