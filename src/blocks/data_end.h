// Loops that a value in memory ends: `while (*p++)` at the zero behind a string.
#pragma once

#include <cstddef>
#include <optional>

#include "blocks/block_code.h"
#include "blocks/block_trips.h"
#include "blocks/streams.h"

namespace cyclescope::blocks {

struct DataEnd {
  EndOfWalk walk;
  std::size_t exit = 0;  // its place in the shape's exits
};

// The exit, which every trip passes, that compares the next value of a walk with a number, and
// leaves where they are equal or where they are not. Unset where there is none.
std::optional<DataEnd> FindDataEnd(const BlockCode& code, const CountedLoop& loop,
                                   const Streams& streams);

}  // namespace cyclescope::blocks
