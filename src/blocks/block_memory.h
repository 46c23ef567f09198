// Memory for a snippet, as a program has it: each register that addresses start from has an area
// of its own, physically its own, in which the snippet walks; together they stay in the first-level
// cache. What areas hold is seeded random data, or constants; values that reach an address are
// pointers or bounded indexes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "blocks/block_trips.h"
#include "blocks/streams.h"
#include "blocks/trip_values.h"
#include "cyclescope/result/names.h"
#include "sandbox/executor.h"

namespace cyclescope::blocks {

// What areas hold.
enum class AreaData {
  kRandom,
  kConstant,   // the same value everywhere: branches always go one way, all indexes are equal
  kFewValued,  // few different values, half of them equal to the one before
  // Each is at least the one before, or at most, and those of one area below those of the next, or
  // above: for loops that end where an order does not hold.
  kRising,
  kFalling,
};
constexpr auto NamesOf(AreaData) {
  return Names("random", "constant", "few-valued", "rising", "falling");
}

// Indexes from memory are below this, so that what they lead to is a few KB.
inline constexpr std::uint32_t kIndexLimit = 512;

// Where nothing walks, areas that registers begin lie in this number of lines of their pages, and
// data at a distance from the code behind them: a load waits for an older store at the same place
// of another page.
inline constexpr std::uint64_t kLinesApart = 40;

struct AreaPlan {
  std::vector<sandbox::MemoryArea> areas;
  std::vector<std::uint8_t> image;         // what they hold, one after the other
  std::map<int, std::uint64_t> registers;  // that hold addresses, indexes and steps
  std::int64_t footprint = 0;              // bytes that the longest pass goes over
};

struct AreaWishes {
  AreaData data = AreaData::kRandom;
  int trips = 1;             // of the longest pass
  bool avoid_exits = false;  // data decide about an exit, and should not take it
  std::optional<EndOfWalk> end;
  std::optional<MeetingPointers> meeting;  // they have one area
  // What the user wants there instead: in every eight bytes, or these bytes over and over.
  std::optional<std::uint64_t> pattern;
  std::vector<std::uint8_t> contents;
  // What registers hold that are no bases, in the longest pass: a counter that begins below 0.
  std::map<int, std::uint64_t> registers;
  std::uint64_t page_size = 4096;
  std::int64_t most_bytes = std::int64_t{1} << 20;  // of one area
};

// Unset where the accesses are not understood, or go too far.
std::optional<AreaPlan> LayOutAreas(const TripValues& values, const Streams& streams,
                                    const AreaWishes& wishes);

}  // namespace cyclescope::blocks
