// The topology that the system claims, through hwloc.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "base/error.h"
#include "os/cpus.h"
#include "result/host.h"

namespace cyclescope::os {

// The place of every CPU, ascending by CPU. With `recorded`, an hwloc XML file is read instead of
// this machine.
Result<std::vector<CpuPlace>> ReadTopology(
    const std::optional<std::filesystem::path>& recorded = std::nullopt);

}  // namespace cyclescope::os
