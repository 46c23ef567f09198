#include "anatomy/kept_free.h"

#include <vector>

#include "statistics/statistics.h"

namespace cyclescope::anatomy {

std::optional<AnatomyValue> EntriesKeptFree(std::span<const WholeAndPart> seen) {
  // A pool that two threads share leaves more than the half to each; less than the half by more is
  // something else. Each end of a fall may be wrong by an entry or two.
  constexpr double kSlackEntries = 4;
  std::vector<double> values;
  std::vector<double> lows;
  std::vector<double> highs;
  for (const auto& [whole, part] : seen) {
    const double kept = whole.value - 2 * part.value;
    if (kept > kMostKeptFree + kSlackEntries) continue;
    values.push_back(kept);
    lows.push_back(whole.low - 2 * part.high);
    highs.push_back(whole.high - 2 * part.low);
  }
  if (values.empty()) return std::nullopt;
  const AnatomyValue kept = {statistics::Median(values), statistics::Median(lows),
                             statistics::Median(highs)};
  // Halves of odd sizes and what a reading may be wrong by leave some, too; cores keep whole groups
  // free, as many as they allocate in a cycle.
  constexpr double kSmallestGroup = 4;
  if (kept.low <= 0 || kept.value < kSmallestGroup) return std::nullopt;
  return kept;
}

}  // namespace cyclescope::anatomy
