// Throughput: independent copies of a form, arranged in several ways; the best sustained counts.
#pragma once

#include <optional>
#include <vector>

#include "arch/kernel_parts.h"
#include "instructions/lab.h"
#include "measure/sampler.h"
#include "result/instruction.h"

namespace cyclescope::instructions {

struct ThroughputResult {
  Throughput throughput;
  measure::Totals totals;
};

Outcome<ThroughputResult> MeasureThroughput(Lab& lab, const Form& form, const arch::ValueSet* values);

// The plainest arrangement's code, and no value; unset where there are not enough registers.
std::optional<Throughput> PlanThroughput(Lab& lab, const Form& form);

// Cycles per copy when all copies write the same registers, though none reads them. More than the throughput if the
// processor waits for the old value all the same. Unset where the form has no such destination.
std::optional<double> MeasureSameDestination(Lab& lab, const Form& form, const arch::ValueSet* values);

}  // namespace cyclescope::instructions
