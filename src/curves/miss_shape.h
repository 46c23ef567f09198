// How caches fill up: which part of the loads a cache misses when lines of a footprint are visited
// again and again in one order, by how much larger the footprint is than the cache.
//
// The order is a cycle. So a set that keeps its least recently used lines and has one line too many
// misses all of them, and what decides is how lines spread over sets:
//
//   kEven       neighbouring lines: sets overflow one after the other between the cache's size and
//               one way more
//   kScattered  pages anywhere in memory: the number of lines in a set is Poisson distributed. Half
//               of the loads miss where the footprint is as large as the cache
//   kRandom     the cache replaces any line: of m misses each evicts one of its lines, so that a
//               line is still there after a round with probability h = exp(-(1 - h) x)
//   kKeeping    the cache keeps what it has, and what does not fit is always missed: 1 - 1 / x
#pragma once

namespace cyclescope::curves {

enum class Filling { kEven, kScattered, kRandom, kKeeping };

struct MissShape {
  Filling filling = Filling::kEven;
  int ways = 0;  // of kEven and kScattered

  bool operator==(const MissShape&) const = default;
};

// `ratio` is the footprint over the cache's size. From 0 to 1.
double MissedShare(MissShape shape, double ratio);

}  // namespace cyclescope::curves
