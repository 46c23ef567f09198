// From measured arrangements of independent copies to a throughput.
#pragma once

#include <optional>
#include <span>

#include "cyclescope/result/instruction.h"
#include "instructions/evidence.h"
#include "instructions/plan.h"

namespace cyclescope::instructions {

struct MeasuredCopies {
  Throughput throughput;
  const measure::Measurement* measurement = nullptr;  // what it was made from
  double instructions_per_copy = 1;                   // that ran
};

// The best of the arrangements. `equal_sources_count` says whether the form waits for sources that
// are all one register; `upper_bound` that copies of it cannot be independent. Unset where no
// arrangement has a value.
std::optional<MeasuredCopies> ConcludeThroughput(const ValuesPlan& values, bool equal_sources_count,
                                                 bool upper_bound, Evidence& evidence);

// How many arrangements may be as fast as the best, which is one of them. The more there are, the
// likelier the best is too good by chance.
int CountContenders(const ValuesPlan& values, std::span<const measure::Measurement> measurements,
                    double confidence, const Estimate& best);

}  // namespace cyclescope::instructions
