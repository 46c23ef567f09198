#include "os/linux/core_pmus.h"

#include <algorithm>
#include <system_error>

#include "os/cpus.h"
#include "os/linux/files.h"

namespace cyclescope::os {

std::optional<std::uint32_t> CorePmuType(int cpu, const std::filesystem::path& root) {
  int core_pmus = 0;
  std::optional<std::uint32_t> type;
  std::error_code error;  // without the folder there are no PMUs to choose from
  for (const auto& pmu :
       std::filesystem::directory_iterator(root / "sys/bus/event_source/devices", error)) {
    // Only the PMU of a kind of core lists its `cpus`; others have a `cpumask`, or neither.
    const auto text = ReadText(pmu.path() / "cpus");
    if (!text) continue;
    ++core_pmus;
    const CpuList cpus = ParseCpuList(*text).value_or(CpuList{});
    if (std::ranges::find(cpus, cpu) == cpus.end()) continue;
    if (const auto number = ReadInteger(pmu.path() / "type")) {
      type = static_cast<std::uint32_t>(*number);
    }
  }
  return core_pmus > 1 ? type : std::nullopt;
}

}  // namespace cyclescope::os
