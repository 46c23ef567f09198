#include "os/advice.h"

#include <fmt/core.h>

namespace cyclescope::os {

std::string_view SpeedSettingName() { return "frequency governor"; }

bool IsFastestSetting(std::string_view governor) { return governor == "performance"; }

std::string HowToBeFastest() { return "sudo cpupower frequency-set -g performance"; }

std::string HowToForbidTurbo() {
  return "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost (intel_pstate: echo 1 into "
         "no_turbo)";
}

std::string HowToForbidSmt() { return "echo off | sudo tee /sys/devices/system/cpu/smt/control"; }

std::string HowToUseAllCpus(int online) {
  return fmt::format("taskset -c 0-{} cyclescope …", online - 1);
}

std::string HowToSwitchOn(int cpu) {
  return fmt::format("echo 1 | sudo tee /sys/devices/system/cpu/cpu{}/online", cpu);
}

}  // namespace cyclescope::os
