// Everything about one form: throughput, the latency of every pair, the classic table's rows.
#pragma once

#include <optional>

#include "instructions/lab.h"
#include "result/instruction.h"

namespace cyclescope::instructions {

// What is to be found out about a form.
struct Experiments {
  bool latency = true;  // measured in any case, since throughput is arranged by it; if not, left
                        // out of the row
  bool throughput = true;
};

// Never fails: what could not be measured has a status and a reason.
InstructionRow MeasureForm(Lab& lab, const assembler::Instruction& instruction,
                           const Experiments& experiments = {});

// What MeasureForm would measure: pairs with the code of their chains, and no value. Its status is
// `unmeasurable`, as nothing was measured.
InstructionRow PlanForm(Lab& lab, const assembler::Instruction& instruction);

// Why a form must not be run at all; unset when it may be.
std::optional<Failure> Refusal(const Lab& lab, const assembler::Instruction& instruction);

}  // namespace cyclescope::instructions
