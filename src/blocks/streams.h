// The walks of a snippet through memory: which registers its addresses start from, which of them
// are indexes or pointers that it has loaded, and how far a trip goes on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "blocks/block_code.h"
#include "blocks/jump_tables.h"
#include "blocks/trip_values.h"

namespace cyclescope::blocks {

// A walk that ends a loop: what it reads behind the last trip.
struct EndOfWalk {
  std::size_t load = 0;      // the instruction
  GeneralNumber walks = 0;   // the one register of its address that changes
  std::int64_t step = 0;     // by this much in a trip
  std::int64_t value = 0;    // what the data hold there
  bool is_by_value = false;  // the loop compares it with a number: data before are otherwise
  bool only_before = false;  // of those: all before are `value ^ 1`
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

// The walk of a load whose place goes on by the same in each trip, and of which nothing but one
// register changes. Unset of others.
std::optional<EndOfWalk> FindWalk(const TripValues& values, const Streams& streams,
                                  std::size_t load);

// Where no register counts the trips of a loop that jumps through one table: how a value that it
// reads ends it. Unset where it does not read the next one in each trip.
std::optional<EndOfWalk> FindEndOfWalk(const TripValues& values, const Streams& streams,
                                       std::span<const TableUse> tables);

}  // namespace cyclescope::blocks
