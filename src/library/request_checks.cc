#include "library/request_checks.h"

#include <fmt/core.h>

#include <algorithm>

#include "arch/architecture.h"
#include "assembler/target.h"
#include "base/near_names.h"

namespace cyclescope::library {

Result<void> CheckRange(std::string_view what, double value, double least, double most) {
  if (value >= least && value <= most) return {};
  return BadInput(fmt::format("{} {} is out of range", what, value),
                  fmt::format("it can be {} to {}", least, most));
}

Result<void> CheckPatience(std::optional<double> patience_s) {
  return CheckRange("patience", patience_s.value_or(0), 0, kLongestS);
}

Result<void> CheckModel(const std::string& cpu) {
  const auto known = assembler::KnownCpus(*assembler::ParseArchitecture(arch::Name()));
  if (cpu.empty() || std::ranges::binary_search(known, cpu)) return {};
  return BadInput(fmt::format("LLVM knows no CPU '{}'{}", cpu, DidYouMean(NearNames(cpu, known))));
}

Result<os::CpuList> SelectCpus(const std::vector<int>& asked, const os::CpuList& allowed) {
  return asked.empty() ? allowed : os::SelectCpus(os::FormatCpuList(asked), allowed);
}

}  // namespace cyclescope::library
