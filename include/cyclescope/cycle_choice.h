// Where cycles come from.
#pragma once

namespace cyclescope {

enum class CycleChoice {
  kAuto,         // the best of the others that this machine has
  kCounterUser,  // the CPU's counter, read directly
  kCounter,      // the CPU's counter, through the kernel
  kReference,    // the time of a chain of additions, a cycle each
};

}  // namespace cyclescope
