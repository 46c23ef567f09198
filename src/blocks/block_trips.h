// Loops with a branch of their own: which register counts their trips, and with which values they
// make as many as wanted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "blocks/block_code.h"
#include "blocks/loop_shape.h"
#include "blocks/trip_values.h"

namespace cyclescope::blocks {

// A loop as its trips see it.
struct CountedLoop {
  LoopShape shape;
  TripValues values;
  // The exits that a counter decides about, one of which every trip passes; empty where none does.
  std::vector<std::size_t> counted;  // places in shape.exits

  // The exits that data decide about.
  std::vector<LoopExit> DataExits() const;
};

// The instruction whose result a branch looks at: the last that set the flags, or the branch
// itself. Unset where other code may come between.
std::optional<std::size_t> DeciderOf(const BlockCode& code, std::size_t branch);

// Unset where the code is not one loop.
std::optional<CountedLoop> ReadLoop(const BlockCode& code);

// The registers that have to hold something other than `registers` says, so that the loop makes
// `trips` trips, or one more whatever `trips` is. Unset where no register is seen that changes by
// the same amount in each trip and decides about the next.
std::optional<std::map<int, std::uint64_t>> ValuesForTrips(
    const BlockCode& code, const CountedLoop& loop, const std::map<int, std::uint64_t>& registers,
    int trips);

// Where a symbol has to lie that the loop's register is compared with, so that the loop makes
// `trips` trips; unset where it is compared with something else.
std::optional<std::pair<GeneralNumber, std::uint64_t>> SymbolAtEnd(
    const BlockCode& code, const CountedLoop& loop, const std::map<int, std::uint64_t>& registers,
    int trips);

// Two registers that walk towards each other until they meet: where they are addresses, both lead
// into one array.
struct MeetingPointers {
  GeneralNumber base = 0;
  GeneralNumber other = 0;
  std::int64_t distance = 0;  // of the other, before the first of `trips` trips
};
std::optional<MeetingPointers> PointersThatMeet(const BlockCode& code, const CountedLoop& loop,
                                                int trips);

}  // namespace cyclescope::blocks
