// From measurements to rows. Everything here is pure: given the same plan and the same
// measurements, the same row comes out, and no hardware is needed to test a rule.
#pragma once

#include <span>
#include <string_view>

#include "cyclescope/result/instruction.h"
#include "instructions/evidence.h"
#include "instructions/plan.h"
#include "measure/experiment.h"

namespace cyclescope::instructions {

InstructionRow Conclude(const FormPlan& plan, std::span<const measure::Measurement> measurements,
                        const Connectors& connectors, const Circumstances& circumstances);

// The row of a dry run: everything that would be measured, as code without values.
InstructionRow DryRow(const FormPlan& plan);

// Why what the architecture keeps undefined, as `ud2`, cannot be measured; the subject goes before.
inline constexpr char kEndsPrograms[] = "is undefined by design, to end a program (SIGILL)";

// The first reason why something gave no value, as a row's status.
void Fail(const sandbox::Death& death, InstructionRow& row);

// The reason of a row whose estimate is disturbed.
inline constexpr std::string_view kTooFewSamples =
    "too few samples were left: the others were disturbed, or the code did not take the same time "
    "again";

}  // namespace cyclescope::instructions
