// What requests let their sender choose.
#pragma once

#include "cyclescope/result/names.h"

namespace cyclescope {

// Where cycles come from.
enum class CycleChoice {
  kAuto,         // the best of the others that this machine has
  kCounterUser,  // the CPU's counter, read directly
  kCounter,      // the CPU's counter, through the kernel
  kReference,    // the time of a chain of additions, a cycle each
};
constexpr auto NamesOf(CycleChoice) {
  return Names("auto", "counter-user", "counter", "reference");
}

// How a snippet is repeated.
enum class BlockLoop {
  kUnrolled,  // copies in a loop whose own cost is taken off
  kAsLoop,    // the snippet is the body of a loop, and the loop's end counts
  kStraight,  // copies one after the other, without a loop
};

}  // namespace cyclescope
