// The words and commands with which this system's users change what disturbs measuring. Empty where
// the system has no such command.
#pragma once

#include <string>
#include <string_view>

namespace cyclescope::os {

// What decides how fast idle cores become (`Host::governor`), as it is called: "frequency
// governor".
std::string_view SpeedSettingName();
// True if they always are, with that value.
bool IsFastestSetting(std::string_view governor);

std::string HowToBeFastest();
std::string HowToForbidTurbo();
std::string HowToForbidSmt();
std::string HowToUseAllCpus(int online);
std::string HowToSwitchOn(int cpu);

}  // namespace cyclescope::os
