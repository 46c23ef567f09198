// Where data lie that code refers to by how far they are from itself (x86-64's rip): in memory of
// its own, as near each other as the code has them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cyclescope::blocks {

struct DataPlace {
  std::int64_t target = 0;  // from where the code begins
  std::int64_t bytes = 0;   // that are read or written there; 0: only its address is computed
};

// Which place of a line such data have is not seen, only how far they lie apart: the first of those
// that are accessed most widely begins a line. So those that must be aligned are.
std::int64_t LineBegin(std::span<const DataPlace> places);

// Of each place, bytes from the beginning of memory of that size. All keep their places in lines;
// lines that are neighbours stay so, and others are none. The first lies behind that number of
// lines.
std::vector<std::uint64_t> LayOutData(std::span<const DataPlace> places, std::uint64_t lines_before,
                                      std::uint64_t memory_bytes);

}  // namespace cyclescope::blocks
