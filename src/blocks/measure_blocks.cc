#include "blocks/measure_blocks.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <utility>

#include "assembler/predict.h"
#include "blocks/block_bounds.h"
#include "blocks/block_plan.h"
#include "instructions/rounds.h"

namespace cyclescope::blocks {
namespace {

// One block on its way: tried out until it runs, or until nothing is left to try.
struct Candidate {
  BlockSubject subject;
  std::optional<Exploration> exploration;
  BlockPlan plan;
  std::optional<BlockRow> first_failure;  // what to tell the user if nothing runs
  bool concluded = false;                 // the plan's row is what there is to say
};

// The next way to run it, which the plan then has; none where the plan's row says why.
std::optional<measure::Experiment> PlanNext(instructions::Planner& planner, const Block& block,
                                            const sandbox::KernelPlaces& places,
                                            Candidate& candidate) {
  const Setup setup = candidate.exploration ? candidate.exploration->setup() : Setup();
  const std::set<std::uint64_t> pages =
      candidate.exploration ? candidate.exploration->pages() : std::set<std::uint64_t>();
  candidate.plan = PlanBlock(planner, block, candidate.subject, setup, pages, places);
  candidate.concluded = !candidate.plan.experiment;
  return candidate.plan.experiment;
}

// False when there is nothing left to try.
bool LearnFrom(const sandbox::Death& death, const instructions::Circumstances& circumstances,
               Candidate& candidate) {
  if (!candidate.exploration) return false;
  const auto& pages = candidate.plan.experiment->surroundings.pages;
  const bool goes_on =
      candidate.exploration->Learn(death, std::set<std::uint64_t>(pages.begin(), pages.end()));
  if (candidate.exploration->has_failed() && !candidate.first_failure) {
    measure::Measurement died;
    died.death = death;
    candidate.first_failure = ConcludeBlock(candidate.plan, died, circumstances);
  }
  return goes_on;
}

Candidate Prepare(instructions::Planner& planner, const Block& block, bool filters_system_calls) {
  Candidate candidate;
  candidate.subject = ReadBlock(planner, block, filters_system_calls);
  if (candidate.subject.refused || block.strict) return candidate;
  const bool in_loop = block.loop == BlockLoop::kUnrolled;
  candidate.exploration.emplace(
      SetupsFor(candidate.subject.code,
                {.memory = block.memory,
                 .needs_passes = candidate.subject.is_loop ||
                                 !CounterFor(block, candidate.subject.code).has_value(),
                 .allows_passes = in_loop,
                 .fixed_copies = candidate.subject.is_loop || block.unroll.has_value()}),
      sandbox::PageSize());
  return candidate;
}

std::vector<assembler::Instruction> InstructionsOf(const BlockSubject& subject) {
  std::vector<assembler::Instruction> instructions;
  for (const assembler::Decoded& each : *subject.code.decoded)
    instructions.push_back(each.instruction);
  return instructions;
}

// llvm-mca's figures; nothing where LLVM has no model, which a note says.
void AddPrediction(instructions::Planner& planner,
                   std::span<const assembler::Instruction> instructions, bool timeline,
                   BlockRow& row) {
  auto predicted = assembler::Predict(planner.assembler(), instructions, timeline);
  if (!predicted) {
    row.notes.push_back("llvm-mca: " + predicted.error().ToString());
    return;
  }
  const auto latency = [&](std::size_t index, const assembler::Operand& from,
                           const assembler::Operand& to) -> std::optional<double> {
    if (assembler::BreaksDependence(planner.assembler(), instructions[index])) return std::nullopt;
    return planner.assembler().ModelLatency(instructions[index], from.name, to.name);
  };
  row.mca = {.cpu = predicted->cpu,
             .cycles = predicted->cycles,
             .throughput_bound = predicted->throughput_bound,
             .latency_bound = LongestChain(instructions, latency).cycles,
             .bottleneck = predicted->bottleneck,
             .timeline = predicted->timeline};
}

}  // namespace

std::vector<std::optional<BlockRow>> MeasureBlocks(instructions::Bench& bench,
                                                   instructions::Planner& planner,
                                                   std::span<const Block> blocks,
                                                   const measure::IsOver& is_over) {
  const auto places = sandbox::FindKernelPlaces();
  assert(places && "there is a worker, and so its memory");
  std::vector<Candidate> candidates;
  std::vector<std::size_t> due;
  std::vector<measure::Experiment> experiments;
  for (const Block& block : blocks) {
    Candidate& candidate =
        candidates.emplace_back(Prepare(planner, block, bench.filters_system_calls()));
    candidate.plan.row = candidate.subject.row;
    candidate.concluded = candidate.subject.refused;
    if (candidate.concluded) continue;
    if (auto experiment = PlanNext(planner, block, *places, candidate)) {
      due.push_back(candidates.size() - 1);
      experiments.push_back(std::move(*experiment));
    }
  }
  const auto replace = [&](std::size_t index,
                           const sandbox::Death& death) -> std::optional<measure::Experiment> {
    Candidate& candidate = candidates[due[index]];
    if (!LearnFrom(death, bench.circumstances(), candidate)) return std::nullopt;
    return PlanNext(planner, blocks[due[index]], *places, candidate);
  };
  std::vector<measure::Measurement> measured = bench.runner().Run(experiments, is_over, replace);
  for (std::size_t i = 0; i < due.size(); ++i) {
    Candidate& candidate = candidates[due[i]];
    if (candidate.concluded || measured[i].cut_short) continue;
    candidate.plan.row = measured[i].death && candidate.first_failure
                             ? *candidate.first_failure
                             : ConcludeBlock(candidate.plan, measured[i], bench.circumstances());
    candidate.concluded = true;
  }
  std::vector<std::optional<BlockRow>> rows(candidates.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (candidates[i].concluded) rows[i] = std::move(candidates[i].plan.row);
  }
  return rows;
}

void PredictBlock(instructions::Planner& planner, const Block& block, bool filters_system_calls,
                  bool timeline, BlockRow& row) {
  const BlockSubject subject = ReadBlock(planner, block, filters_system_calls);
  if (row.cycles && subject.code.decoded)
    AddPrediction(planner, InstructionsOf(subject), timeline, row);
}

void ExplainBlock(instructions::Bench& bench, instructions::Planner& planner, const Block& block,
                  const measure::IsOver& is_over, KnownParts& known, BlockRow& row) {
  const std::vector<assembler::Instruction> instructions =
      IterationOf(planner, block, bench.filters_system_calls());
  // Where cycles mean nothing, bounds do not either.
  if (!row.cycles || instructions.empty() || !bench.circumstances().trusts_cycles) return;

  const auto nop = planner.assembler().Parse("nop");
  std::vector<instructions::FormPlan> plans;
  std::vector<std::string> texts;  // of the plans: what occurs twice is measured once
  const auto plan = [&](const assembler::Instruction& instruction) {
    if (known.contains(instruction.text) ||
        std::ranges::find(texts, instruction.text) != texts.end())
      return;
    texts.push_back(instruction.text);
    plans.push_back(instructions::PlanForm(planner, instruction, {}, bench.filters_system_calls()));
  };
  for (const assembler::Instruction& instruction : instructions) plan(instruction);
  plan(nop->front());
  const auto rows = bench.Measure(std::move(plans), planner, is_over);
  // Where it was cut short, nothing is said.
  if (std::ranges::any_of(rows, [](const auto& each) { return !each.has_value(); })) return;
  // What had no quiet moment may have one the next time.
  KnownParts contended;
  for (std::size_t i = 0; i < rows.size(); ++i)
    (instructions::HasContendedValue(*rows[i]) ? contended : known).emplace(texts[i], *rows[i]);
  const auto row_of = [&](const assembler::Instruction& instruction) {
    const auto found = known.find(instruction.text);
    return found != known.end() ? found->second : contended.at(instruction.text);
  };
  std::vector<InstructionRow> parts;
  for (const assembler::Instruction& instruction : instructions)
    parts.push_back(row_of(instruction));
  row.bounds = BoundsOf(instructions, parts, row_of(nop->front()));
  row.bounds->verdict = WhatBinds(row.cycles->value, *row.bounds);
}

std::vector<assembler::Instruction> IterationOf(instructions::Planner& planner, const Block& block,
                                                bool filters_system_calls) {
  const BlockSubject subject = ReadBlock(planner, block, filters_system_calls);
  if (!subject.code.decoded || !subject.knows_count) return {};
  return InstructionsOf(subject);
}

}  // namespace cyclescope::blocks
