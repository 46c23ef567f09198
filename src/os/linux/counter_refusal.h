// Why the kernel refuses counters, and what would make it grant them.
#pragma once

#include <string_view>

#include "cyclescope/base/error.h"
#include "os/linux/counter_settings.h"

namespace cyclescope::os {

// perf_event_open failed with `error_number` for the event called `name` ("cycles").
Error ExplainRefusal(std::string_view name, int error_number, const CounterSettings& settings,
                     std::string_view hypervisor);

// The events count, but user space may not read them.
Error ExplainNoUserAccess(const CounterSettings& settings);

}  // namespace cyclescope::os
