// Memory for a snippet, as a program has it: each register that addresses start from has an area
// of its own, physically its own, in which the snippet walks; together they stay in the first-level
// cache. What areas hold is seeded random data, or constants; values that reach an address are
// pointers or bounded indexes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "blocks/block_code.h"
#include "blocks/block_trips.h"
#include "blocks/jump_tables.h"
#include "blocks/trip_values.h"
#include "sandbox/executor.h"

namespace cyclescope::blocks {

// What areas hold.
enum class AreaData {
  kRandom,
  kConstant,  // the same value everywhere: branches always go one way, all indexes are equal
};

// Indexes from memory are below this, so that what they lead to is a few KB.
inline constexpr std::uint32_t kIndexLimit = 512;

// Where nothing walks, areas that registers begin lie in this number of lines of their pages, and
// data at a distance from the code behind them: a load waits for an older store at the same place
// of another page.
inline constexpr std::uint64_t kLinesApart = 40;

// A walk that ends a loop: what it reads behind the last trip.
struct EndOfWalk {
  std::size_t load = 0;  // the instruction
  GeneralNumber base = 0;
  std::int64_t stride = 0;  // bytes of a trip
  std::int64_t value = 0;
};

// What is known of a snippet's accesses before it is laid out.
struct Streams {
  std::vector<MemoryUse> uses;
  std::map<GeneralNumber, std::vector<std::size_t>> by_base;  // places in `uses`
  std::vector<GeneralNumber> indexes;         // registers that start at 0: they are added to a base
  std::vector<GeneralNumber> step_registers;  // that are added to an address in each trip
  // Instructions whose value is an index, and which values it may have; empty: below kIndexLimit.
  std::map<std::size_t, std::vector<std::int64_t>> index_loads;
  std::vector<std::size_t> pointer_loads;  // instructions whose value is an address by itself
  std::vector<GeneralNumber> pointers;     // registers that such a load fills
  std::int64_t bytes_per_trip = 0;         // that all walks together go on by
  std::int64_t elements_per_trip = 1;      // of arrays
  bool understood = false;                 // every access has a base or a loaded address
};
// `tables` are those that the code jumps through: they have memory elsewhere.
Streams FindStreams(const BlockCode& code, const TripValues& values,
                    std::span<const TableUse> tables = {});

// Where no register counts the trips of a loop that jumps through one table: how a value that it
// reads ends it. Unset where it does not read the next one in each trip.
std::optional<EndOfWalk> FindEndOfWalk(const TripValues& values, const Streams& streams,
                                       std::span<const TableUse> tables);

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
