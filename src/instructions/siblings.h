// Forms that look alike to the machine: the masked, zeroing and broadcasting variants of one vector
// instruction. Each of them is measured. But what agrees with its sibling at its first quiet visit
// is done at once, and has the sibling's interval.
//
//   Siblings siblings;                             // one for all benches of a sweep
//   plan.family = FamilyOf(plan.form);
//   siblings.Expect(plan);                         // before it is measured
//   siblings.Learn(plan, measured, confidence);    // after
#pragma once

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "instructions/form.h"
#include "instructions/plan.h"
#include "measure/experiment.h"

namespace cyclescope::instructions {

// Forms of one family differ at most in masks and in how an element is read from memory, never in
// the width of an element. Empty for a form that has no such variants.
std::string FamilyOf(const Form& form);

// For several threads at once.
class Siblings {
 public:
  // Tells the plan's experiments what those of a sibling took, if one was measured well.
  void Expect(FormPlan& plan) const;

  // Remembers what was measured without the help of a sibling.
  void Learn(const FormPlan& plan, std::span<const measure::Measurement> measured,
             double confidence);

 private:
  using Family = std::map<std::string, measure::Expectation>;  // by what an experiment means

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, bool>, Family> families_;  // by name, and whether masked
};

}  // namespace cyclescope::instructions
