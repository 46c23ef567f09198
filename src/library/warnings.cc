#include "library/warnings.h"

#include <algorithm>

namespace cyclescope::library {

void AddWarnings(const std::vector<Warning>& found, std::vector<Warning>& warnings) {
  for (const Warning& warning : found) {
    if (std::ranges::find(warnings, warning.code, &Warning::code) == warnings.end())
      warnings.push_back(warning);
  }
}

}  // namespace cyclescope::library
