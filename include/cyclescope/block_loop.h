// How a snippet is repeated.
#pragma once

namespace cyclescope {

enum class BlockLoop {
  kUnrolled,  // copies in a loop whose own cost is taken off
  kAsLoop,    // the snippet is the body of a loop, and the loop's end counts
  kStraight,  // copies one after the other, without a loop
};

}  // namespace cyclescope
