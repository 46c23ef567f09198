// What the ends of lines of the first cache cost: stores that go to several lines, and accesses
// that cross from one to the next.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "predict/block_program.h"
#include "predict/memory_times.h"

namespace cyclescope::predict {

// The µops of an instruction that loads or stores.
struct MemoryUops {
  std::size_t instruction = 0;
  std::optional<std::size_t> load;   // by number in the program
  std::optional<std::size_t> store;  // likewise
  std::optional<std::size_t> leave;  // of what is stored, for the cache
  int bytes = 0;                     // of the place; 0: not known
  int base = 0;                      // the register that its address begins with
  bool pushes = false;               // it moves the stack pointer itself
};

// Gives the program units that these µops keep busy, as the model has measured it. Of places that
// are not known, those with one base are near each other.
void LimitByLines(const MemoryTimes& times, std::span<const MemoryUops> accesses,
                  std::span<const MemoryPlace> places, BlockProgram& program);

}  // namespace cyclescope::predict
