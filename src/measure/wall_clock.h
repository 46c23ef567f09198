// The time that waiting is counted in; tests have their own.
#pragma once

#include <cstdint>
#include <functional>

namespace cyclescope::measure {

struct WallClock {
  std::function<std::int64_t()> now_ns;
  std::function<void(std::int64_t nanoseconds)> sleep;
};
WallClock SystemWallClock();

}  // namespace cyclescope::measure
