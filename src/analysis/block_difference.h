// Two versions of a loop side by side: which of the rows belong together, and how they differ.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cyclescope/result/instruction.h"

namespace cyclescope {

// Cycles of the second row by those of the first.
struct CycleRatio {
  double value = 1;
  double low = 1;
  double high = 1;
};

struct BlockDifference {
  const BlockRow* first = nullptr;
  const BlockRow* second = nullptr;
  bool are_predictions = false;  // neither was measured
  // Unset where one of them has no value, or only an upper bound.
  std::optional<CycleRatio> per_iteration;
  // Set where a trip of one goes further in memory than a trip of the other.
  std::optional<CycleRatio> per_byte;
};

// The rows of two sides, function by function where both have functions of the same name, else in
// their order where both have as many. Empty where there are not just two sides, or nothing pairs.
// The rows must outlive it.
std::vector<BlockDifference> FindDifferences(std::span<const BlockRow> rows);

// "b.s takes 0.25 times the cycles per trip of a.s (1.00 and 4.00)", or that no difference shows;
// of predictions "by the model, b.s takes ...".
std::vector<Claim> ClaimsOf(const BlockDifference& difference);
std::string DifferenceText(const BlockDifference& difference);

}  // namespace cyclescope
