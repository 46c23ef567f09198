#include <windows.h>

#include <optional>

#include "os/host.h"
#include "os/windows/power_plan.h"

namespace cyclescope::os {
namespace {

Check CheckParking(std::optional<unsigned long> least_percent) {
  Check check{.name = "core parking"};
  if (!least_percent) {
    check.claim = Claim{ClaimCode::kParkingUnknown, {}};
  } else if (*least_percent >= 100) {
    check.claim = Claim{ClaimCode::kNoParking, {}};
  } else {
    check.status = CheckStatus::kNote;
    check.claim =
        Claim{ClaimCode::kCoreParking, {{"percent", static_cast<double>(*least_percent)}}};
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
          .claim =
              Claim{ClaimCode::kSystemClockStep, {{"ns", 1e9 / static_cast<double>(hz.QuadPart)}}}};
}

}  // namespace

std::vector<Check> CheckSystem(const std::filesystem::path& /*root*/) {
  return {CheckParking(LeastUnparkedPercent()),
          CheckTimer(),
          {.name = "system calls",
           .status = CheckStatus::kNote,
           .claim = Claim{ClaimCode::kNoCallFilter, {}}}};
}

}  // namespace cyclescope::os
