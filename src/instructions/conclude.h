// From measurements to rows. Everything here is pure: given the same plan and the same
// measurements, the same row comes out, and no hardware is needed to test a rule.
#pragma once

#include <map>
#include <span>
#include <string>

#include "instructions/plan.h"
#include "measure/experiment.h"
#include "measure/tick_clock.h"
#include "result/instruction.h"

namespace cyclescope::instructions {

// The connectors that were measured, by name.
using Connectors = std::map<std::string, measure::Measurement, std::less<>>;

// What else a conclusion depends on.
struct Circumstances {
  const measure::TickClock* clock = nullptr;  // for the classic table's seconds
  double confidence = 0.95;
  bool trusts_cycles = true;  // else nothing is concluded from how many there are
};

// The row; a dry run (no measurements) gives the pairs with their code, and no values.
InstructionRow Conclude(const FormPlan& plan, std::span<const measure::Measurement> measurements,
                        const Connectors& connectors, const Circumstances& circumstances);
InstructionRow DryRow(const FormPlan& plan);

// Adds what the first measurements call for. A chain of accumulations may go round for ever with or
// without the core's short cut for it, depending on how it started: Neoverse V1 chains `usra`
// at 1.2 or 2.4 cycles. So a chain that does not take a whole number of cycles is planned again
// with other starts. False when there is nothing to add.
bool ExtendPlan(std::span<const measure::Measurement> measurements,
                const Circumstances& circumstances, Planner& planner, FormPlan& plan);

// Whether it is no whole number of cycles, as far as its interval can tell.
bool IsFraction(const Estimate& estimate);

// The first reason why something gave no value, as a row's status.
void Fail(const sandbox::Death& death, InstructionRow& row);

// The reason of a row whose estimate is disturbed.
inline constexpr std::string_view kTooFewSamples =
    "too few samples were left: other work on this CPU spoiled the others, or the code did not "
    "take the same time again";

}  // namespace cyclescope::instructions
