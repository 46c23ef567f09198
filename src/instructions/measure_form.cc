#include "instructions/measure_form.h"

#include <fmt/core.h>

#include <algorithm>

#include "arch/kernel_parts.h"
#include "instructions/classic.h"
#include "instructions/latency.h"
#include "instructions/throughput.h"

namespace cyclescope::instructions {
namespace {

void Fail(const Failure& failure, InstructionRow& row) {
  row.status = failure.status;
  row.reason = failure.reason;
}

InstructionRow RowFor(const assembler::Instruction& instruction) {
  InstructionRow row;
  row.text = instruction.text;
  row.opcode = instruction.opcode;
  row.mnemonic = instruction.mnemonic;
  row.notes = instruction.remarks;
  return row;
}

// An exact latency well below a cycle means that the form was done before it reached any pipe.
constexpr double kDoneAtRename = 0.85;

bool ReadsOneRegisterTwice(const Form& form) {
  return std::ranges::any_of(form.groups, [](const Group& group) {
    return group.operands.size() > 1 && group.read && !group.fixed;
  });
}

// `values` are those of the row's headline throughput.
void AddNotes(Lab& lab, const Form& form, const arch::ValueSet* values, InstructionRow& row) {
  const bool at_rename = std::ranges::any_of(row.latency, [](const Latency& latency) {
    return latency.kind == LatencyKind::kExact && latency.cycles.value < kDoneAtRename;
  });
  if (at_rename) {
    row.notes.push_back(ReadsOneRegisterTwice(form)
                            ? "zero idiom: waits for none of its sources"
                            : "eliminated: done at rename, in less than a cycle");
  }
  if (!row.throughput) return;
  // Whole cycles more than where each copy has a destination of its own; less is noise of the
  // screening.
  constexpr double kWaits = 0.8;
  const auto longer = MeasureFalseDependence(lab, form, values);
  if (longer && *longer > kWaits) {
    row.notes.push_back(
        "false dependence: waits for the old value of its destination, which it does not use");
  }
}

void AddLatencies(LatencyResult latencies, InstructionRow& row) {
  if (latencies.failure) {
    row.notes.push_back("not every pair was measured: " + latencies.failure->reason);
  }
  std::ranges::move(latencies.pairs, std::back_inserter(row.latency));
}

// One round of measuring, with one set of values.
void MeasureWithValues(Lab& lab, const Form& form, const arch::ValueSet* values,
                       const Experiments& experiments, InstructionRow& row) {
  const bool first = !row.throughput;
  LatencyResult latencies = MeasureLatencies(lab, form, values);
  if (!experiments.throughput) {
    if (latencies.failure && latencies.pairs.empty()) return Fail(*latencies.failure, row);
    return AddLatencies(std::move(latencies), row);
  }
  const auto classic = MeasureClassicLatency(lab, form, values, latencies.pairs);
  const auto throughput =
      MeasureThroughput(lab, form, values, classic && classic->equal_sources_count);
  if (!throughput) {
    Fail(throughput.error(), row);
    return;
  }
  if (values != nullptr && !values->name.empty())
    row.throughput_by_values.push_back(throughput->throughput);
  if (first) {
    const measure::TickClock& clock = lab.instrument().clock();
    row.throughput = throughput->throughput;
    const auto add = [&](const char* test, const measure::Totals& totals) {
      if (auto made = MakeClassicRow(test, totals, clock)) row.classic.push_back(std::move(*made));
    };
    add("THR", throughput->totals);
    if (classic) add("LAT", classic->measurement.totals);
  }
  if (experiments.latency) AddLatencies(std::move(latencies), row);
}

bool IsDisturbed(const InstructionRow& row) {
  return (row.throughput && row.throughput->cycles.disturbed) ||
         std::ranges::any_of(row.latency,
                             [](const Latency& latency) { return latency.cycles.disturbed; });
}

// A direct branch whose target is the instruction behind it: copies in a row are then executed in
// order, each taken.
bool GoesToTheNext(const assembler::Instruction& instruction) {
  if (instruction.flags.indirect || instruction.flags.returns || instruction.RefersToLabel())
    return false;
  return std::ranges::any_of(instruction.operands, [](const assembler::Operand& operand) {
    return operand.kind == assembler::OperandKind::kLabel && operand.value == arch::BranchOver(0);
  });
}

}  // namespace

std::optional<Failure> Refusal(const Lab& lab, const assembler::Instruction& instruction) {
  const assembler::InstructionFlags& flags = instruction.flags;
  if (flags.privileged) return Failure{Status::kPrivileged, "only the kernel may execute it"};
  if (!instruction.refusal.empty()) return Failure{Status::kUnmeasurable, instruction.refusal};
  if (flags.traps && !lab.filters_system_calls()) {
    return Failure{Status::kUnmeasurable,
                   "it enters the kernel, and this system offers no filter to stop it"};
  }
  if (flags.ChangesFlow() && !GoesToTheNext(instruction)) {
    return Failure{
        Status::kUnmeasurable,
        "it changes the flow of control: measure it in a snippet with 'cyclescope block'"};
  }
  if (flags.moves_x87_stack) {
    return Failure{Status::kUnmeasurable,
                   "it moves the x87 stack, which has eight places: measure it with its "
                   "counterpart with 'cyclescope block'"};
  }
  return std::nullopt;
}

InstructionRow PlanForm(Lab& lab, const assembler::Instruction& instruction) {
  InstructionRow row = RowFor(instruction);
  if (!instruction.refusal.empty()) {
    Fail({Status::kUnmeasurable, instruction.refusal}, row);
    return row;
  }
  Fail({Status::kUnmeasurable, "dry run: nothing was measured"}, row);
  const Form form = MakeForm(lab.assembler().AtAddress(instruction, lab.builder().address()));
  const std::vector<arch::ValueSet>& value_sets = instruction.value_sets;
  const arch::ValueSet* values = value_sets.empty() ? nullptr : &value_sets.front();
  row.latency = PlanLatencies(lab, form, values);
  row.throughput = PlanThroughput(lab, form, values);
  return row;
}

InstructionRow MeasureForm(Lab& lab, const assembler::Instruction& instruction,
                           const Experiments& experiments) {
  InstructionRow row = RowFor(instruction);
  if (const auto refusal = Refusal(lab, instruction)) {
    Fail(*refusal, row);
    return row;
  }
  const assembler::ModelTiming model = lab.assembler().Model(instruction);
  if (model.latency || model.reciprocal_throughput) {
    row.model = {lab.assembler().target().cpu, model.latency, model.reciprocal_throughput};
  }
  const Form form = MakeForm(lab.assembler().AtAddress(instruction, lab.builder().address()));
  const std::vector<arch::ValueSet>& value_sets = instruction.value_sets;
  if (value_sets.empty()) {
    MeasureWithValues(lab, form, nullptr, experiments, row);
  } else {
    for (const arch::ValueSet& values : value_sets) {
      MeasureWithValues(lab, form, &values, experiments, row);
    }
  }
  for (Latency& latency : row.latency) {
    latency.model = lab.assembler().ModelLatency(instruction, latency.from, latency.to);
  }
  if (row.status == Status::kCrashed && !instruction.fault_reason.empty()) {
    Fail({Status::kUnmeasurable, instruction.fault_reason}, row);
  }
  if (row.status != Status::kMeasured) return row;
  if (!experiments.throughput && row.latency.empty()) {
    Fail({Status::kUnmeasurable, "it has no pair of operands, and so no latency"}, row);
    return row;
  }
  // Conclusions from cycles need cycles.
  if (lab.instrument().TrustsCycles()) {
    AddNotes(lab, form, value_sets.empty() ? nullptr : &value_sets.front(), row);
  }
  if (IsDisturbed(row)) {
    row.status = Status::kDisturbed;
    row.reason = measure::kTooFewSamples;
  }
  return row;
}

}  // namespace cyclescope::instructions
