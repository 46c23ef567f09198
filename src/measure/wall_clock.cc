#include "measure/wall_clock.h"

#include <chrono>
#include <thread>

#include "os/clock.h"

namespace cyclescope::measure {

WallClock SystemWallClock() {
  return {os::MonotonicNanoseconds, [](std::int64_t nanoseconds) {
            std::this_thread::sleep_for(std::chrono::nanoseconds(nanoseconds));
          }};
}

}  // namespace cyclescope::measure
