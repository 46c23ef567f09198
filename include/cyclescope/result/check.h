// `cyclescope doctor`: one thing about this machine that may disturb measuring.
#pragma once

#include <string>

namespace cyclescope {

enum class CheckStatus { kOk, kNote, kWarn };

struct Check {
  std::string name;  // short and stable: "governor", "steal"
  CheckStatus status = CheckStatus::kOk;
  std::string finding;  // what is so on this machine
  std::string effect;   // what it does to results; empty when ok
  std::string remedy;   // the command that changes it; empty when there is none
};

}  // namespace cyclescope
