// `cyclescope predict`: what a loop takes on a core by its model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cyclescope/result/claim.h"
#include "cyclescope/result/describe.h"
#include "cyclescope/result/names.h"
#include "cyclescope/result/ports.h"

namespace cyclescope {

// What an instruction waits for longest between its dispatch and its start.
enum class WaitCause {
  kNothing,
  kOperand,  // another's result
  kPort,     // its ports are busy with older ones
  kUnit,     // so is something else that it needs, such as a divider
};

constexpr auto NamesOf(WaitCause) { return Names("nothing", "operand", "port", "unit"); }

// One instruction on its way through the core. Times are cycles from the first dispatch.
struct PredictedTimes {
  int iteration = 0;
  std::string text;
  std::int64_t dispatched = 0;
  std::int64_t ready = 0;
  std::int64_t issued = 0;
  std::int64_t done = 0;
  std::int64_t retired = 0;
  WaitCause cause = WaitCause::kNothing;
  std::string producer;
};

void Describe(auto& visit, Of<PredictedTimes> auto& times) {
  constexpr FieldFacts kNew = {.since = "0.3"};
  visit.Struct("PredictedTimes",
               "One instruction on its way through the core; times are cycles from the first "
               "dispatch.");
  visit.Required("iteration", times.iteration, "From 0.", kNew);
  visit.Required("text", times.text, "Assembly.", kNew);
  visit.Required("dispatched", times.dispatched, "It has its entries in the windows.", kNew);
  visit.Required("ready", times.ready, "All that it waits for is there.", kNew);
  visit.Required("issued", times.issued, "Its last µop started.", kNew);
  visit.Required("done", times.done, "Its results are there.", kNew);
  visit.Required("retired", times.retired, "It and all before it are done.", kNew);
  visit.Required("waits_for", times.cause,
                 "What it waited for longest: nothing, operand, port, unit.", kNew);
  visit.Optional("producer", times.producer, "The instruction whose result it waited for.", kNew);
}

struct PredictedBounds {
  double dispatch = 0;
  double branches = 0;
  double ports = 0;
  double chain = 0;
  std::string chain_text;
  double unit = 0;
  std::string unit_text;
};

void Describe(auto& visit, Of<PredictedBounds> auto& bounds) {
  constexpr FieldFacts kNew = {.since = "0.3"};
  visit.Struct("PredictedBounds",
               "What a loop cannot be faster than by the model, in cycles per iteration.");
  visit.Required("dispatch", bounds.dispatch, "All slots, as many at once as are dispatched.",
                 kNew);
  visit.Optional("branches", bounds.branches, "The taken branch that ends the iteration.", kNew);
  visit.Required("ports", bounds.ports, "What its µops need of the ports that they can go to.",
                 kNew);
  visit.Required("chain", bounds.chain, "The longest chain of dependences.", kNew);
  visit.Optional("chain_text", bounds.chain_text, "Its links: rax → rax: imul 3 + add 1.", kNew);
  visit.Optional("unit", bounds.unit, "What else is busy, such as a divider.", kNew);
  visit.Optional("unit_text", bounds.unit_text, "The instruction that keeps it busy.", kNew);
}

// What the model of a core says of a snippet.
struct BlockPrediction {
  std::string machine;
  std::optional<double> cycles;
  std::string reason;
  std::vector<double> ways;
  std::string binds;
  bool settled = false;
  PredictedBounds bounds;
  std::vector<PortLoad> pressure;
  std::vector<std::string> binding_ports;
  std::vector<std::string> unknown;
  std::vector<std::string> without_ports;
  std::vector<std::string> assumed;
  std::optional<Claim> claim;
  std::string verdict;
  std::vector<PredictedTimes> timeline;
};

void Describe(auto& visit, Of<BlockPrediction> auto& prediction) {
  constexpr FieldFacts kNew = {.since = "0.3"};
  visit.Struct("BlockPrediction",
               "What the model of a core says of a snippet, in cycles per iteration.");
  visit.Required("machine", prediction.machine, "Whose model it is.", kNew);
  visit.Optional("cycles", prediction.cycles,
                 "Of the simulated core, when it has settled; absent where too much is not known.",
                 kNew);
  visit.Optional("reason", prediction.reason, "Why there is no value.", kNew);
  visit.Optional("ways", prediction.ways,
                 "Where data decide which way an iteration goes: what each takes.", kNew);
  visit.Optional(
      "binds", prediction.binds,
      "What the time comes from: dispatch, branches, ports, chain, unit; windows where a "
      "buffer is full, schedule where ports and chains wait for each other.",
      kNew);
  visit.Optional("settled", prediction.settled,
                 "The simulated core repeats itself exactly; else cycles are an average.", kNew);
  visit.Required("bounds", prediction.bounds, "What it cannot be faster than.", kNew);
  visit.Optional("ports", prediction.pressure, "µops in an iteration, by port.", kNew);
  visit.Optional("binding_ports", prediction.binding_ports,
                 "The ports that its µops need for longest.", kNew);
  visit.Required("unknown", prediction.unknown, "Instructions that the model does not have.", kNew);
  visit.Optional("without_ports", prediction.without_ports,
                 "Instructions whose ports the model does not have: slots and latencies count.",
                 kNew);
  visit.Optional(
      "assumed", prediction.assumed,
      "What the model does not have and a usual value stands for: sizes of windows, and latencies, "
      "which are LLVM's then.",
      kNew);
  visit.Optional("claim", prediction.claim, "What binds it, and what is left without that.", kNew);
  visit.Optional("verdict", prediction.verdict, "The sentence of that claim.", kNew);
  visit.Optional("timeline", prediction.timeline, "The first iterations, when asked for.", kNew);
}

}  // namespace cyclescope
