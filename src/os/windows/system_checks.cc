#include <fmt/core.h>
#include <windows.h>

#include <optional>

#include "os/host.h"
#include "os/windows/power_plan.h"

namespace cyclescope::os {
namespace {

Check CheckParking(std::optional<unsigned long> least_percent) {
  Check check{.name = "core parking"};
  if (!least_percent) {
    check.finding = "the system does not say whether it parks cores";
  } else if (*least_percent >= 100) {
    check.finding = "no core is parked";
  } else {
    check.status = CheckStatus::kNote;
    check.finding =
        fmt::format("all but {} % of the cores may be parked while idle", *least_percent);
    check.effect = "a parked core needs a moment to begin; brackets reject what that spoils";
    check.remedy =
        "powercfg /setacvalueindex SCHEME_CURRENT SUB_PROCESSOR CPMINCORES 100; powercfg "
        "/setactive SCHEME_CURRENT";
  }
  return check;
}

Check CheckTimer() {
  LARGE_INTEGER hz{};
  QueryPerformanceFrequency(&hz);
  return {.name = "timer",
          .finding = fmt::format("the system's clock has steps of {:.3g} ns; time stamps are "
                                 "calibrated against it",
                                 1e9 / static_cast<double>(hz.QuadPart))};
}

}  // namespace

std::vector<Check> CheckSystem(const std::filesystem::path& /*root*/) {
  return {CheckParking(LeastUnparkedPercent()),
          CheckTimer(),
          {.name = "system calls",
           .status = CheckStatus::kNote,
           .finding = "Windows has no filter for the system calls of a process",
           .effect = "instructions that make system calls are not run"}};
}

}  // namespace cyclescope::os
