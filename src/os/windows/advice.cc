#include "os/advice.h"

namespace cyclescope::os {

std::string_view SpeedSettingName() { return "power plan"; }

bool IsFastestSetting(std::string_view governor) {
  return governor == "High performance" || governor == "Ultimate performance";
}

std::string HowToBeFastest() { return "powercfg /setactive SCHEME_MIN"; }

std::string HowToForbidTurbo() {
  return "powercfg /setacvalueindex SCHEME_CURRENT SUB_PROCESSOR PERFBOOSTMODE 0";
}

std::string HowToForbidSmt() { return "switch hyper-threading off in the firmware's settings"; }

std::string HowToUseAllCpus(int /*online*/) { return "start it without `start /affinity`"; }

std::string HowToSwitchOn(int /*cpu*/) { return "bcdedit /deletevalue numproc"; }

}  // namespace cyclescope::os
