// The counting units (PMUs) of the cores, where there are several kinds of core.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace cyclescope::os {

// The number that perf knows the PMU of this CPU's cores by; unset where all cores share one, and
// it need not be named.
std::optional<std::uint32_t> CorePmuType(int cpu, const std::filesystem::path& root = "/");

}  // namespace cyclescope::os
