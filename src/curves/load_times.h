// Tells levels apart by how long single loads took.
//
// A curve has the mean of all loads of a footprint. Where a cache is outgrown slowly, and the next
// one as well, the mean rises from the first to memory without a step in between. Single loads do
// not mix: those that one level answers take about as long, and few loads take a time between two
// levels'.
//
//   const std::vector<TimedLevel> timed = ReadLoadTimes(times, first_cycles);
//   AddTimedLevels(timed, levels);    // levels as read from a curve
//
// It is pure: no clock, no memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cyclescope/result/memory.h"

namespace cyclescope::curves {

// Loads of one footprint, in random order.
struct LoadTimes {
  std::int64_t bytes = 0;
  // How many took 0, 1, 2... ticks, with what reading the clock takes; the last: or more.
  std::vector<std::uint32_t> counts;
  double cycles_per_tick = 0;
};

// Adds another visit to the same footprint.
void Add(const LoadTimes& times, std::optional<LoadTimes>& to);

// Loads that took about as long: one level answered them, or several that are too near to each
// other to be told apart.
struct TimedLevel {
  // How much longer than loads of the first cache they took: nearly all of them, and the middle.
  double least_cycles = 0;
  double most_cycles = 0;
  MemoryValue cycles;
  // The footprint that it and the nearer ones hold. Unset of the last, and where no footprint was
  // large enough.
  std::optional<MemoryValue> capacity;
};

// Nearest first. Footprints ascend; the smallest is one that the first cache holds, from which a
// load takes that many cycles.
std::vector<TimedLevel> ReadLoadTimes(const std::vector<LoadTimes>& times, double first_cycles);

// What the curve told, by what single loads tell: levels of one heap become one, latencies that
// mix levels or are vague are replaced, levels that the curve could not end get one, and those that
// no level of the curve has the latency of are added, without names.
void AddTimedLevels(const std::vector<TimedLevel>& timed, std::vector<MemoryLevel>& levels);

}  // namespace cyclescope::curves
