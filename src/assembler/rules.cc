#include "assembler/rules.h"

namespace cyclescope::assembler {

const Rules& RulesOf(Architecture architecture) {
  return architecture == Architecture::kAArch64 ? aarch64::GetRules() : x86::GetRules();
}

}  // namespace cyclescope::assembler
