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

// Whether the form waits for sources that are all one register.
enum class EqualSources {
  kWaits,
  kIdiom,    // it does not, and copies that have them do not count
  kUnknown,  // they do not count, but may be faster
};

// The best of the arrangements; `upper_bound`: copies of the form cannot be independent. Unset
// where no arrangement has a value.
std::optional<MeasuredCopies> ConcludeThroughput(const ValuesPlan& values,
                                                 EqualSources equal_sources, bool upper_bound,
                                                 Evidence& evidence);

// How many arrangements may be as fast as the best, which is one of them. The more there are, the
// likelier the best is too good by chance.
int CountContenders(const ValuesPlan& values, std::span<const measure::Measurement> measurements,
                    double confidence, const Estimate& best);

}  // namespace cyclescope::instructions
