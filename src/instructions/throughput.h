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

// `equal_sources_count` says that the form waits for its sources even when all are one register.
// Where it does not
// (`sub rax, rax`), such copies would measure the idiom.
Outcome<ThroughputResult> MeasureThroughput(Lab& lab, const Form& form,
                                            const arch::ValueSet* values, bool equal_sources_count);

// The plainest arrangement's code, and no value; unset where there are not enough registers.
std::optional<Throughput> PlanThroughput(Lab& lab, const Form& form, const arch::ValueSet* values);

// How many cycles longer copies take when all write the same registers, though none reads them:
// more than nothing if the processor waits for the old value all the same. Unset where the form has
// no such destination.
std::optional<double> MeasureFalseDependence(Lab& lab, const Form& form,
                                             const arch::ValueSet* values);

}  // namespace cyclescope::instructions
