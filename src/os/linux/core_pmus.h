// The counting units (PMUs) of the cores. A processor with several kinds of core has one for each,
// and by that shows which CPU is of which kind.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/cpus.h"

namespace cyclescope::os {

struct CorePmu {
  std::string name;                   // "cpu_core", "cpu_atom", "armv8_pmuv3_0"
  std::optional<std::uint32_t> type;  // the number perf knows it by
  CpuList cpus;
};

// Sorted by name. Where all cores are alike, x86-64 lists none and AArch64 one.
std::vector<CorePmu> ReadCorePmus(const std::filesystem::path& root = "/");

// The type of the PMU of this CPU's cores; unset where all cores share one, and it need not be
// named.
std::optional<std::uint32_t> CorePmuType(int cpu, const std::vector<CorePmu>& pmus);

// "performance" or "efficiency" where the PMU's name says it (Intel), or empty.
std::string_view CoreKind(const CorePmu& pmu);

}  // namespace cyclescope::os
