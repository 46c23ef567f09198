// A loop that needs all of a core's throughput. Two CPUs that share a core run it at about half
// speed each when both run it, which tells a shared core from two that are merely close.
#pragma once

#include <cstdint>

namespace cyclescope::arch {

// Independent additions over as many registers as the widest core we know of can use.
void RunWideLoop(std::uint64_t loops);

}  // namespace cyclescope::arch
