// A loop that needs all of a core's throughput: whatever else runs on the core slows it down. So it
// tells a core that we have to ourselves from one that another hyperthread shares, and two CPUs of
// one core from two that are merely close.
#pragma once

#include <cstdint>

namespace cyclescope::arch {

// Independent additions over as many registers as the widest core we know of can use, and how many
// of them there are in one loop.
inline constexpr std::uint64_t kWideAddsPerLoop = 96;
void RunWideLoop(std::uint64_t loops);

}  // namespace cyclescope::arch
