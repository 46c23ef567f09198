#include "library/warnings.h"

#include <algorithm>
#include <utility>

namespace cyclescope::library {

void AddWarnings(const std::vector<Warning>& found, std::vector<Warning>& warnings) {
  for (const Warning& warning : found) {
    if (std::ranges::find(warnings, warning.code, &Warning::code) == warnings.end())
      warnings.push_back(warning);
  }
}

void DescribeClock(Clock clock, const std::vector<Warning>& warnings, Document& document) {
  std::erase_if(document.warnings, [](const Warning& warning) {
    return warning.code == "untrusted-reference" || warning.code == "counters-disagree";
  });
  AddWarnings(warnings, document.warnings);
  document.clock = std::move(clock);
}

}  // namespace cyclescope::library
