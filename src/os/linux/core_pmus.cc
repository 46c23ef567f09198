#include "os/linux/core_pmus.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "os/linux/files.h"

namespace cyclescope::os {

std::vector<CorePmu> ReadCorePmus(const std::filesystem::path& root) {
  std::vector<CorePmu> pmus;
  std::error_code error;  // without the folder there are none
  for (const auto& folder :
       std::filesystem::directory_iterator(root / "sys/bus/event_source/devices", error)) {
    // Only the PMU of a kind of core lists its `cpus`; others have a `cpumask`, or neither.
    const auto cpus = ReadText(folder.path() / "cpus");
    if (!cpus) continue;
    CorePmu pmu{.name = folder.path().filename(),
                .type = {},
                .cpus = ParseCpuList(*cpus).value_or(CpuList{})};
    if (const auto type = ReadInteger(folder.path() / "type")) {
      pmu.type = static_cast<std::uint32_t>(*type);
    }
    pmus.push_back(std::move(pmu));
  }
  std::ranges::sort(pmus, {}, &CorePmu::name);
  return pmus;
}

std::optional<std::uint32_t> CorePmuType(int cpu, const std::vector<CorePmu>& pmus) {
  if (pmus.size() < 2) return std::nullopt;
  const auto found = std::ranges::find_if(
      pmus, [cpu](const CorePmu& pmu) { return std::ranges::binary_search(pmu.cpus, cpu); });
  return found == pmus.end() ? std::nullopt : found->type;
}

std::string_view CoreKind(const CorePmu& pmu) {
  if (pmu.name == "cpu_core") return "performance";
  if (pmu.name == "cpu_atom" || pmu.name == "cpu_lowpower") return "efficiency";
  return {};
}

}  // namespace cyclescope::os
