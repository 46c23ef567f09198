#include "predict/predict_block.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/claims.h"
#include "predict/block_program.h"
#include "predict/bounds.h"
#include "predict/stack_sync.h"

namespace cyclescope::predict {
namespace {

// A bound explains a predicted time of at most this factor of it.
constexpr double kExplainedRatio = 1.03;

void AddOnce(const std::string& text, std::vector<std::string>& texts) {
  if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

void NameUnknown(const BlockProgram& program, const BlockIteration& iteration,
                 BlockPrediction& prediction) {
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const assembler::Instruction& instruction = iteration.instructions[i];
    if (!program.instructions[i].known) {
      AddOnce(instruction.text, prediction.unknown);
    } else if (!program.instructions[i].has_ports && !instruction.flags.ChangesFlow()) {
      AddOnce(instruction.text, prediction.without_ports);
    }
    if (program.instructions[i].known && !program.instructions[i].has_latency &&
        !instruction.flags.ChangesFlow())
      AddOnce("LLVM's latency of " + instruction.text, prediction.assumed);
  }
}

// What those that the model does not have are taken for in a second prediction. Some take longer
// (pause, fences), which this does not see.
constexpr UnknownCosts kSlowUnknown = {.more_cycles = 5, .own_cycles = 1};
// Predictions that differ by less are the same.
constexpr double kSameRatio = 1.05;

void Sum(const ProgramBounds& bounds, const BlockProgram& program, const BlockIteration& iteration,
         BlockPrediction& prediction) {
  prediction.bounds = {.dispatch = bounds.dispatch,
                       .branches = bounds.branches,
                       .ports = bounds.ports,
                       .chain = bounds.chain,
                       .chain_text = ToString(program.chain, iteration.instructions),
                       .unit = bounds.unit};
  if (bounds.unit_number >= 0)
    prediction.bounds.unit_text = program.units[static_cast<std::size_t>(bounds.unit_number)];
}

Claim ClaimOfBound(const CoreModel& model, const BlockProgram& program, const ProgramBounds& bounds,
                   const BlockPrediction& prediction) {
  const double next = bounds.Next(program.next_chain);
  const std::string_view binding = bounds.Binding();
  if (binding == "chain") {
    return {ClaimCode::kPredictedChain, {{"what", prediction.bounds.chain_text}, {"next", next}}};
  }
  if (binding == "ports") {
    return {
        ClaimCode::kPredictedPorts,
        {{"ports", fmt::format("{}", fmt::join(prediction.binding_ports, ", "))}, {"next", next}}};
  }
  if (binding == "unit")
    return {ClaimCode::kPredictedUnit, {{"what", prediction.bounds.unit_text}, {"next", next}}};
  if (binding == "branches")
    return {ClaimCode::kPredictedBranch, {{"count", JumpsOf(program)}, {"next", next}}};
  return {ClaimCode::kPredictedDispatch,
          {{"slots", SlotsOf(program)}, {"width", model.dispatch()}, {"next", next}}};
}

void Explain(const CoreModel& model, const BlockProgram& program, const ProgramBounds& bounds,
             const PipelineResult& result, BlockPrediction& prediction) {
  const Claim nearest = ClaimOfBound(model, program, bounds, prediction);
  const double excess = result.cycles - bounds.Largest();
  if (result.cycles <= kExplainedRatio * bounds.Largest()) {
    prediction.binds = bounds.Binding();
    prediction.claim = nearest;
  } else {
    const auto window = std::ranges::max_element(result.lacked) - result.lacked.begin();
    const double lacked = result.lacked[static_cast<std::size_t>(window)];
    // A full scheduler only says that what is in it waits; so does a full reorder buffer.
    const bool is_cause = lacked > excess / 2 &&
                          static_cast<Window>(window) != Window::kReorderBuffer &&
                          static_cast<Window>(window) != Window::kScheduler;
    if (is_cause) {
      prediction.binds = "windows";
      prediction.claim = Claim{ClaimCode::kPredictedWindow,
                               {{"window", std::string(NameOf(static_cast<Window>(window)))},
                                {"cycles", std::min(lacked, excess)}}};
    } else if (program.reads_stores) {
      // Some cores hand a stored value on without a load (memory renaming), which is not modelled.
      prediction.binds = "forwarding";
      return;
    } else {
      prediction.binds = "schedule";
      prediction.claim = Claim{ClaimCode::kPredictedSchedule,
                               {{"excess", excess}, {"nearest", Sentence(nearest)}}};
    }
  }
  prediction.verdict = Sentence(*prediction.claim);
}

void AddTimeline(const BlockIteration& iteration, std::vector<InstructionTimes> timeline,
                 BlockPrediction& prediction) {
  const std::size_t count = iteration.instructions.size();
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    const InstructionTimes& times = timeline[i];
    if (times.retired == 0) break;  // it was still under way when all was known
    PredictedTimes& row = prediction.timeline.emplace_back();
    row.iteration = static_cast<int>(i / count);
    row.text = iteration.instructions[i % count].text;
    row.dispatched = times.dispatched;
    row.ready = times.ready;
    row.issued = times.issued;
    row.done = times.done;
    row.retired = times.retired;
    row.cause = times.cause;
    if (times.producer >= 0)
      row.producer = iteration.instructions[static_cast<std::size_t>(times.producer)].text;
  }
}

// What no row of the model tells: how often something repeats, and what a prefix that stands by
// itself makes of the next instruction. Empty where there is nothing of that kind.
std::string WhyTimeIsOpen(const BlockIteration& iteration) {
  for (const assembler::Instruction& instruction : iteration.instructions) {
    if (std::ranges::find(instruction.remarks, ClaimCode::kRepeats, &Claim::code) !=
        instruction.remarks.end())
      return fmt::format("how often '{}' repeats is not known", instruction.text);
    if (instruction.opcode.ends_with("_PREFIX"))
      return fmt::format("the model has no row of what '{}' makes of the next instruction",
                         instruction.text);
  }
  return "";
}

}  // namespace

BlockPrediction PredictBlock(CoreModel& model, const BlockIteration& given,
                             const PredictOptions& options) {
  const SyncedIteration synced = WithStackSync(model, given);
  const BlockIteration iteration = synced.Get();
  BlockPrediction prediction;
  prediction.assumed = model.assumed();
  const PipelineCore core = CoreOf(model);
  const BlockProgram program = MakeProgram(model, iteration);
  NameUnknown(program, iteration, prediction);
  const ProgramBounds bounds = BoundsOf(model, program);
  Sum(bounds, program, iteration, prediction);
  for (std::size_t i = 0; i < model.ports().size(); ++i) {
    if ((bounds.binding_ports >> i & 1) != 0) prediction.binding_ports.push_back(model.ports()[i]);
  }
  const PipelineOptions recorded = {.timeline_instructions =
                                        iteration.instructions.size() *
                                        static_cast<std::size_t>(options.timeline_iterations)};
  if (auto reason = WhyTimeIsOpen(iteration); !reason.empty()) {
    prediction.reason = std::move(reason);
    return prediction;
  }
  PipelineResult result = RunPipeline(core, program, recorded);
  for (std::size_t i = 0; i < model.ports().size() && i < result.port_uops.size(); ++i)
    prediction.pressure.push_back({model.ports()[i], result.port_uops[i]});
  if (!prediction.unknown.empty()) {
    const BlockProgram slow = MakeProgram(model, iteration, kSlowUnknown);
    if (RunPipeline(core, slow).cycles > kSameRatio * result.cycles) {
      prediction.reason = fmt::format("the model does not have {}, which may matter",
                                      fmt::join(prediction.unknown, ", "));
      return prediction;
    }
  }
  prediction.settled = result.settled;
  prediction.cycles = std::max(result.cycles, bounds.Largest());
  Explain(model, program, bounds, result, prediction);
  AddTimeline(iteration, std::move(result.timeline), prediction);
  return prediction;
}

}  // namespace cyclescope::predict
