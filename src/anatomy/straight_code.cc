#include "anatomy/straight_code.h"

#include <algorithm>
#include <cmath>

namespace cyclescope::anatomy {
namespace {

// Code of this share of the first cache and less does not end with it.
constexpr double kBeforeCache = 0.8;
constexpr double kBehindCache = 1.25;
// Speeds that differ by less are one limit.
constexpr double kSameSpeedRatio = 1.05;

double BytesOf(const StraightCurve& curve, double instructions) {
  return instructions * static_cast<double>(curve.bytes);
}

PerCycle SpeedOf(const StraightCurve& curve, const Plateau& plateau) {
  const double width = kDeviationsOfInterval * plateau.error;
  return {1 / plateau.value,
          1 / (plateau.value + width),
          1 / std::max(plateau.value - width, plateau.value / 2),
          false,
          plateau.shared,
          curve.mix};
}

CodeLevel LevelOf(const StraightCurve& curve, const Plateau& plateau) {
  return {curve.mix,
          {plateau.end_at, plateau.end_low, plateau.end_high},
          SpeedOf(curve, plateau),
          !plateau.first_beyond_at};
}

// The plateaus of a curve by where they end.
struct Parts {
  std::vector<Plateau> before;  // the first cache ends
  std::optional<Plateau> cache;
  std::optional<Plateau> beyond;
};

Parts PartsOf(const StraightCurve& curve, const CodeCache& cache) {
  Parts parts;
  const std::vector<Plateau>& plateaus = curve.curve.plateaus;
  for (std::size_t i = 0; i < plateaus.size(); ++i) {
    const double end = BytesOf(curve, plateaus[i].end_at) / cache.bytes.value;
    if (end < kBeforeCache) {
      if (i + 1 < plateaus.size() && !IsPieceOfRise(plateaus, i))
        parts.before.push_back(plateaus[i]);
    } else if (BytesOf(curve, plateaus[i].first_at) < cache.bytes.value * kBeforeCache) {
      // A plateau that goes on beyond the cache is a limit that the cache is not.
      parts.cache = plateaus[i];
    } else if (!parts.beyond) {
      parts.beyond = plateaus[i];
    }
  }
  return parts;
}

// The speed of code that is shorter than the first plateau, where that is clearly faster: the curve
// shows too little of it to be a size or a width, but the core is at least as wide.
std::optional<PerCycle> SpeedBeforeFirst(const StraightCurve& curve) {
  const Plateau& first = curve.curve.plateaus.front();
  std::optional<PerCycle> fastest;
  for (const CurvePoint& point : curve.curve.points) {
    if (point.at >= first.first_at) break;
    const double width = kDeviationsOfInterval * point.error;
    if (kSameSpeedRatio * (point.value + width) > first.value) continue;
    const PerCycle speed = {1 / point.value,
                            1 / (point.value + width),
                            1 / std::max(point.value - width, point.value / 2),
                            true,
                            point.shared,
                            curve.mix};
    if (!fastest || speed.value > fastest->value) fastest = speed;
  }
  return fastest;
}

void KeepFaster(const PerCycle& speed, std::optional<PerCycle>& kept) {
  if (!kept || speed.value > kept->value) kept = speed;
}

void KeepLarger(const CodeLevel& level, std::optional<CodeLevel>& kept) {
  if (!kept || level.instructions.value > kept->instructions.value) kept = level;
}

}  // namespace

StraightReading ReadStraight(std::span<const StraightCurve> curves,
                             const std::optional<CodeCache>& cache) {
  StraightReading reading;
  for (const StraightCurve& curve : curves) {
    if (curve.fills_slots_alone || curve.curve.plateaus.empty()) continue;
    KeepFaster(SpeedOf(curve, curve.curve.plateaus.front()), reading.dispatch);
    if (const auto speed = SpeedBeforeFirst(curve)) KeepFaster(*speed, reading.dispatch);
  }
  if (!cache) return reading;
  std::optional<int> longest;
  for (const StraightCurve& curve : curves) longest = std::max(longest.value_or(0), curve.bytes);
  for (const StraightCurve& curve : curves) {
    const Parts parts = PartsOf(curve, *cache);
    if (!curve.fills_slots_alone) {
      if (!parts.before.empty()) KeepLarger(LevelOf(curve, parts.before.back()), reading.decoded);
      if (parts.before.size() > 1)
        KeepLarger(LevelOf(curve, parts.before.front()), reading.loop_buffer);
      if (parts.cache) KeepFaster(SpeedOf(curve, *parts.cache), reading.decode);
      if (parts.beyond) KeepFaster(SpeedOf(curve, *parts.beyond), reading.beyond_cache);
    }
    if (parts.cache && parts.cache->first_beyond_at) {
      const CodeLevel level = LevelOf(curve, *parts.cache);
      const double end = BytesOf(curve, level.instructions.value) / cache->bytes.value;
      if (end < kBehindCache &&
          (!reading.first_cache || curve.bytes < curves[reading.first_cache->mix].bytes))
        reading.first_cache = level;
    }
    if (parts.cache && curve.bytes == *longest) {
      PerCycle bytes = SpeedOf(curve, *parts.cache);
      for (double* each : {&bytes.value, &bytes.low, &bytes.high}) *each *= curve.bytes;
      reading.fetch_bytes = bytes;
    }
  }
  // What is as fast as dispatch is limited by it.
  if (reading.decode && reading.dispatch) {
    reading.decode->at_least = reading.dispatch->value < reading.decode->value * kSameSpeedRatio;
  }
  if (reading.fetch_bytes && reading.decode) {
    const double instructions = reading.fetch_bytes->value / *longest;
    reading.fetch_bytes->at_least = reading.decode->value < instructions * kSameSpeedRatio;
  }
  return reading;
}

}  // namespace cyclescope::anatomy
