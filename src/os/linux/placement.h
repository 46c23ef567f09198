// Linux's account of where a process's memory lies.
#pragma once

#include <cstdint>
#include <string_view>

#include "os/memory_area.h"

namespace cyclescope::os {

// What the lines of /proc/PID/smaps say of the mappings that overlap [begin, end).
AreaPlacement ParsePlacement(std::string_view smaps, std::uintptr_t begin, std::uintptr_t end);

}  // namespace cyclescope::os
