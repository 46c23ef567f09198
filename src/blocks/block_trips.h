// Loops with a branch of their own: which register counts their trips, and with which values they
// make as many as wanted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "blocks/block_code.h"

namespace cyclescope::blocks {

// Whether all of the code is one loop: its last instruction may branch to its first.
bool IsLoop(const BlockCode& code);

// The registers that have to hold something else than `registers` says, so that the loop makes
// `trips` trips, or one more whatever `trips` is. Unset where no register is seen that changes by
// the same amount in each trip and decides about the next.
std::optional<std::map<int, std::uint64_t>> ValuesForTrips(
    const BlockCode& code, const std::map<int, std::uint64_t>& registers, int trips);

// Whether there is such a register.
bool CountsTrips(const BlockCode& code);

}  // namespace cyclescope::blocks
