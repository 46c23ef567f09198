// The latency of pairs of operands.
#pragma once

#include <optional>
#include <vector>

#include "instructions/chain.h"
#include "instructions/lab.h"
#include "measure/sampler.h"
#include "result/instruction.h"

namespace cyclescope::instructions {

struct LatencyResult {
  std::vector<Latency> pairs;
  // The first reason why something could not be measured; the pair is then not among them.
  std::optional<Failure> failure;
};

// Every pair, with the form's sources holding `values` (null where values do not matter).
LatencyResult MeasureLatencies(Lab& lab, const Form& form, const arch::ValueSet* values);

// The same pairs with the code that would be measured, and no values.
std::vector<Latency> PlanLatencies(Lab& lab, const Form& form, const arch::ValueSet* values);

// The classic LAT test: all sources wait for the destination of the copy before. Where the form
// treats equal sources as an idiom, or has none of its destination's kind, the chain of its slowest
// pair is taken.
struct ClassicLatency {
  measure::Measurement measurement;
  bool equal_sources_count = false;  // all sources were one register, and each was waited for
};
std::optional<ClassicLatency> MeasureClassicLatency(Lab& lab, const Form& form,
                                                    const arch::ValueSet* values,
                                                    const std::vector<Latency>& pairs);

// What a plan has in place of a value.
Estimate NotMeasured();

// The instructions of a sequence, one a line.
std::string Listing(const Sequence& sequence);

}  // namespace cyclescope::instructions
