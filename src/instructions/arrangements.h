// Throughput: independent copies of a form, arranged in several ways; the best sustained counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/kernel_parts.h"
#include "instructions/form.h"
#include "instructions/kernel.h"
#include "instructions/planner.h"

namespace cyclescope::instructions {

struct ArrangedCopies {
  Sequence sequence;
  bool equal_sources = false;  // all sources are one register
  bool has_fillers = false;    // with fillers between the copies
  bool broken = false;         // with fresh values between the copies, so not back to back
  std::string way;             // how it is arranged; the same for other forms that are arranged so
};

// The plainest first. Empty where there are not enough registers for independent copies. `values`
// may be null.
std::vector<ArrangedCopies> ArrangeCopies(Planner& planner, const Form& form,
                                          const arch::ValueSet* values);

// The plainest arrangement, but all copies write the same registers, though none reads them: slower
// if the processor waits for the old value all the same. Unset where the form has no such
// destination.
std::optional<Sequence> ArrangeSameDestination(Planner& planner, const Form& form,
                                               const arch::ValueSet* values);

}  // namespace cyclescope::instructions
