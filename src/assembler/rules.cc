#include "assembler/rules.h"

#include <utility>

namespace cyclescope::assembler {

const Rules& RulesOf(Architecture architecture) {
  switch (architecture) {
    case Architecture::kAArch64:
      return aarch64::GetRules();
    case Architecture::kX86_64:
      return x86::GetRules();
  }
  std::unreachable();
}

}  // namespace cyclescope::assembler
