#include "instructions/plan.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "analysis/claims.h"
#include "arch/kernel_parts.h"
#include "instructions/arrangements.h"
#include "instructions/chain.h"

namespace cyclescope::instructions {
namespace {

// A direct branch whose target is the instruction behind it: copies in a row are then executed in
// order, each taken.
bool GoesToTheNext(const Instruction& instruction) {
  if (instruction.flags.indirect || instruction.flags.returns || instruction.RefersToLabel())
    return false;
  return std::ranges::any_of(instruction.operands, [](const assembler::Operand& operand) {
    return operand.kind == assembler::OperandKind::kLabel && operand.value == arch::BranchOver(0);
  });
}

InstructionRow RowFor(Planner& planner, const Instruction& instruction) {
  InstructionRow row;
  row.text = instruction.text;
  row.opcode = instruction.opcode;
  row.mnemonic = instruction.mnemonic;
  for (const Claim& remark : instruction.remarks) AddNote(remark, row);
  if (const auto shorter = planner.assembler().WithShortImmediate(instruction))
    AddNote({ClaimCode::kWithoutPrefix, {{"text", shorter->text}}}, row);
  const assembler::ModelTiming model = planner.assembler().Model(instruction);
  if (model.latency || model.reciprocal_throughput) {
    row.model = {planner.assembler().target().cpu, model.latency, model.reciprocal_throughput};
  }
  return row;
}

std::string Listing(const Sequence& sequence) {
  std::vector<std::string> lines = sequence.text;
  for (int i = 1; i < sequence.stretch; ++i)
    lines.insert(lines.end(), sequence.text.begin(), sequence.text.end());
  lines.insert(lines.end(), sequence.restart_text.begin(), sequence.restart_text.end());
  return fmt::format("{}", fmt::join(lines, "\n"));
}

// Collects the experiments of one form.
class PlanBuilder {
 public:
  PlanBuilder(Planner& planner, FormPlan& plan) : planner_(planner), plan_(plan) {}

  void AddValues(const arch::ValueSet* values, const Quantities& quantities) {
    ValuesPlan made;
    if (values != nullptr) made.name = values->name;
    const ChainBuilder builder(planner_, plan_.form, values);
    for (const Pair& pair : builder.Pairs()) made.pairs.push_back(PlanPair(builder, pair));
    if (quantities.throughput) {
      if (const auto chain = builder.BuildAllSources()) made.all_sources = PlanChain(*chain);
      AddArrangements(values, made);
    }
    plan_.values.push_back(std::move(made));
  }

 private:
  // Unset where the code cannot be assembled. Code that is planned already is not planned again.
  std::optional<ExperimentIndex> Add(const Sequence& sequence,
                                     std::optional<std::size_t> race = {}) {
    auto experiment = planner_.ExperimentOf(sequence);
    if (!experiment) return std::nullopt;
    experiment->race = race;
    const auto same =
        std::ranges::find_if(plan_.experiments, [&](const measure::Experiment& known) {
          return known.kernels == experiment->kernels && known.memory == experiment->memory &&
                 known.race == race;
        });
    if (same != plan_.experiments.end())
      return static_cast<ExperimentIndex>(same - plan_.experiments.begin());
    plan_.experiments.push_back(std::move(*experiment));
    return plan_.experiments.size() - 1;
  }

  PairPlan PlanPair(const ChainBuilder& builder, const Pair& pair) {
    PairPlan made;
    made.from = builder.NameOf(pair.from);
    made.to = builder.NameOf(pair.to);
    made.model = planner_.assembler().ModelLatency(plan_.form.instruction, made.from, made.to);
    made.through_flags =
        pair.to != kMemory && plan_.form.groups[pair.to].file == RegisterFile::kFlags;
    for (const Chain& chain : builder.Build(pair)) {
      if (auto planned = PlanChain(chain)) made.chains.push_back(std::move(*planned));
      if (!chain.sequence.reads_flags || arch::SetMixedFlagsText().empty()) continue;
      Chain mixed = chain;
      mixed.sequence.mixed_flags = true;
      if (auto planned = PlanChain(mixed)) made.with_mixed_flags.push_back(std::move(*planned));
    }
    const auto steady = builder.BuildSteady(pair);
    if (auto planned = steady ? PlanChain(*steady) : std::nullopt) {
      made.to_others = std::exchange(made.chains, {});
      made.chains.push_back(std::move(*planned));
    }
    return made;
  }

  std::optional<ChainPlan> PlanChain(const Chain& chain) {
    const auto experiment = Add(chain.sequence);
    if (!experiment) return std::nullopt;
    ChainPlan made;
    made.experiment = *experiment;
    made.unknown_connectors = chain.unknown_connectors;
    made.connector = chain.connector;
    made.beside = chain.beside;
    made.code = Listing(chain.sequence);
    made.sequence = chain.sequence;
    for (const KnownConnector& known : chain.taken_off) {
      if (!AddConnector(known)) return std::nullopt;
      made.taken_off.push_back(known.name);
    }
    return made;
  }

  bool AddConnector(const KnownConnector& known) {
    if (std::ranges::find(plan_.connectors, known.name, &ConnectorPlan::name) !=
        plan_.connectors.end()) {
      return true;
    }
    auto experiment = planner_.ExperimentOf(known.alone);
    if (!experiment) return false;
    plan_.connectors.push_back({known.name, std::move(*experiment)});
    return true;
  }

  void AddArrangements(const arch::ValueSet* values, ValuesPlan& made) {
    // Races of their own: whether equal sources count is known only when latencies are, and what
    // fillers tell about the limit needs a value of the best with them and of the best without.
    const std::size_t race = kRacesPerValues * plan_.values.size();
    for (const ArrangedCopies& copies : ArrangeCopies(planner_, plan_.form, values)) {
      const auto experiment = Add(copies.sequence, race + (copies.has_fillers     ? 2
                                                           : copies.equal_sources ? 1
                                                                                  : 0));
      if (!experiment) continue;
      if (made.arrangements.empty() && !copies.equal_sources && !copies.has_fillers)
        plan_.experiments[*experiment].shows_illegal = true;
      made.arrangements.push_back({.experiment = *experiment,
                                   .code = Listing(copies.sequence),
                                   .equal_sources = copies.equal_sources,
                                   .has_fillers = copies.has_fillers,
                                   .broken = copies.broken,
                                   .way = copies.way,
                                   .instructions_per_copy = copies.sequence.InstructionsPerUnit()});
    }
    if (const auto same = ArrangeSameDestination(planner_, plan_.form, values))
      made.same_destination = Add(*same);
  }

  Planner& planner_;
  FormPlan& plan_;
};

}  // namespace

std::optional<Refusal> RefusalOf(const Instruction& instruction, bool filters_system_calls) {
  const assembler::InstructionFlags& flags = instruction.flags;
  if (flags.privileged) return Refusal{Status::kPrivileged, "only the kernel may execute it"};
  if (!instruction.refusal.empty()) return Refusal{Status::kUnmeasurable, instruction.refusal};
  if (flags.traps && !filters_system_calls) {
    return Refusal{Status::kUnmeasurable,
                   "it enters the kernel, and this system offers no filter to stop it"};
  }
  if (flags.ChangesFlow() && !GoesToTheNext(instruction)) {
    return Refusal{
        Status::kUnmeasurable,
        "it changes the flow of control: measure it in a snippet with 'cyclescope block'"};
  }
  if (flags.moves_x87_stack) {
    return Refusal{Status::kUnmeasurable,
                   "it moves the x87 stack, which has eight places: measure it with its "
                   "counterpart with 'cyclescope block'"};
  }
  return std::nullopt;
}

FormPlan PlanForm(Planner& planner, const Instruction& instruction, const Quantities& quantities,
                  bool filters_system_calls) {
  FormPlan plan;
  plan.row = RowFor(planner, instruction);
  if (const auto refusal = RefusalOf(instruction, filters_system_calls)) {
    plan.row.status = refusal->status;
    plan.row.reason = refusal->reason;
    plan.refused = true;
    return plan;
  }
  plan.form = MakeForm(planner.assembler().AtAddress(instruction, planner.builder().address()));
  plan.wants_latency = quantities.latency;
  PlanBuilder builder(planner, plan);
  const std::vector<arch::ValueSet>& sets = instruction.value_sets;
  if (sets.empty()) builder.AddValues(nullptr, quantities);
  for (const arch::ValueSet& values : sets) builder.AddValues(&values, quantities);
  return plan;
}

}  // namespace cyclescope::instructions
