// Everything that is to be found out about one form, as data: the experiments, and what each of
// them means. PlanForm makes it, the runner measures it, Conclude reads it (conclude.h).
//
//   FormPlan plan = PlanForm(planner, instruction, {}, /*filters_system_calls=*/true);
//   std::vector<measure::Measurement> measured = runner.Run(plan.experiments);
//   InstructionRow row = Conclude(plan, measured, connectors, circumstances);
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cyclescope/result/instruction.h"
#include "instructions/planner.h"
#include "measure/experiment.h"

namespace cyclescope::instructions {

// A position in FormPlan::experiments.
using ExperimentIndex = std::size_t;

// Instructions of ours on a chain, whose latency is known from a chain of their own. It is an
// experiment like any other, planned and measured once for all forms that need it.
struct ConnectorPlan {
  std::string name;  // their text; equal names are the same connector
  measure::Experiment experiment;
};

// A closed loop through one pair; one unit of it is one pass through the form.
struct ChainPlan {
  ExperimentIndex experiment = 0;
  std::vector<std::string> taken_off;  // names of connectors, whose latency is taken off
  int unknown_connectors = 0;          // connectors whose latency is not known by itself
  std::string connector;               // all of them, for people
  std::string beside;                  // what runs between the links and is not on the chain
  std::string code;
  Sequence sequence;
  // The same with a few more instructions before the loop: the chain may settle in another state.
  // Planned only when the first value calls for it.
  std::vector<ExperimentIndex> other_starts;
};

struct PairPlan {
  std::string from;
  std::string to;
  std::optional<double> model;  // LLVM's latency of it
  bool through_flags = false;   // it ends in the flags, of which each connector reads some only
  std::vector<ChainPlan>
      chains;  // ways to close the loop, the best first; empty when there is none
  // The same with another unit between the links, where a unit may hand its result on to itself
  // sooner.
  std::vector<ChainPlan> to_others;
  // The same with flags that two instructions wrote, where the form reads flags and it may matter.
  std::vector<ChainPlan> with_mixed_flags;
};

struct ArrangementPlan {
  ExperimentIndex experiment = 0;
  std::string code;
  // All sources are one register: it counts only if the form waits for them then, and does not take
  // equal sources for an idiom (`sub rax, rax`).
  bool equal_sources = false;
  bool has_fillers = false;          // fillers stand between the copies
  bool broken = false;               // fresh values do, so that they are not back to back
  std::string way;                   // that of ArrangedCopies
  double instructions_per_copy = 1;  // with what stands between them
};

// The numbers of the races that the arrangements of one set of values take.
inline constexpr std::size_t kRacesPerValues = 3;

// One set of values that the form's sources hold; there is just one where values do not matter.
struct ValuesPlan {
  std::string name;  // "fast", "slow"; empty where values do not matter
  std::vector<PairPlan> pairs;
  std::optional<ChainPlan> all_sources;  // through all sources at once
  std::vector<ArrangementPlan> arrangements;
  // The plainest arrangement, with all copies writing the same registers, though none reads them.
  std::optional<ExperimentIndex> same_destination;
};

struct FormPlan {
  InstructionRow row;         // what is known before anything is measured
  bool refused = false;       // the row says why it must not be run
  bool wants_latency = true;  // in the row
  std::string family;         // of siblings (siblings.h); empty where it has none
  Form form;
  std::vector<measure::Experiment> experiments;
  std::vector<ConnectorPlan> connectors;  // that its chains need
  std::vector<ValuesPlan> values;
};

// What is to be found out about a form.
struct Quantities {
  bool latency = true;  // planned in any case, since throughput is judged by it; if not, left out
                        // of the row
  bool throughput = true;
};

// Pure: it runs nothing. `filters_system_calls` says whether code that enters the kernel may be run
// at all.
FormPlan PlanForm(Planner& planner, const Instruction& instruction, const Quantities& quantities,
                  bool filters_system_calls);

// Why a form must not be run at all; unset when it may be.
struct Refusal {
  Status status = Status::kUnmeasurable;
  std::string reason;
};
std::optional<Refusal> RefusalOf(const Instruction& instruction, bool filters_system_calls);

}  // namespace cyclescope::instructions
