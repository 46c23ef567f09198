// Branch target buffers and the first cache of code, from how long taken jumps take by their number
// and by how far apart they are.
//
// Both make jumps slower when they are full. A branch target buffer is full at a number of jumps, a
// cache at a number of bytes: what ends at the same bytes for several strides is the cache. It
// costs as much for each line of code, so that jumps closer than a line each bear a part of that;
// what costs more there is something else.
//
// Pure: no clock, no code.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "anatomy/explore_curve.h"

namespace cyclescope::anatomy {

// Cycles of one jump over the number of jumps.
struct JumpCurve {
  std::int64_t stride = 0;  // bytes from one to the next
  Curve curve;
};

// A size with the interval that it lies in.
struct SizeRange {
  double value = 0;
  double low = 0;
  double high = 0;
};

// Too wide to tell a size.
inline bool IsVague(const SizeRange& size) {
  constexpr double kMostVagueRatio = 2;
  return size.high > kMostVagueRatio * size.low;
}

// The end of a plateau.
inline SizeRange RangeOf(const Plateau& plateau) {
  return {plateau.end_at, plateau.end_low, plateau.end_high};
}

// A size that one curve tells.
struct SizeReading {
  SizeRange size;
  double cycles = 0;  // within
  bool at_least = false;
  bool shared = false;
};

struct TargetLevel {
  SizeRange entries;
  double cycles = 0;  // of a jump
  double cycles_error = 0;
  std::int64_t stride = 0;  // of the jumps that saw most of it
  bool at_least = false;    // the jumps ended before it did, or the first cache may have
  bool shared = false;
  bool may_end_with_cache = false;  // of which nothing is known
};

struct CodeCache {
  SizeRange bytes;
  double cycles_per_line = 0;  // beyond it
  bool shared = false;
};

struct JumpReading {
  std::vector<TargetLevel> targets;  // the fastest first
  std::optional<CodeCache> cache;
};

inline constexpr std::int64_t kLineBytes = 64;

// Strides ascend; those of a line and more tell the cache.
JumpReading ReadJumps(std::span<const JumpCurve> curves);

}  // namespace cyclescope::anatomy
