// The topology that the system claims, through hwloc.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "base/error.h"
#include "result/host.h"

namespace cyclescope::os {

// The place of every CPU of the machine, those this process may not use included, ascending by CPU.
// With `recorded`, an hwloc XML file is read instead of this machine. Sets HWLOC_HIDE_ERRORS in the
// environment, so call it before there are other threads.
Result<std::vector<CpuPlace>> ReadTopology(
    const std::optional<std::filesystem::path>& recorded = std::nullopt);

}  // namespace cyclescope::os
