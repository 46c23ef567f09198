#include "blocks/measure_blocks.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <set>
#include <utility>

#include "analysis/block_words.h"
#include "analysis/claims.h"
#include "analysis/dispatch_width.h"
#include "arch/front_end_code.h"
#include "arch/kernel_parts.h"
#include "assembler/predict.h"
#include "blocks/block_bounds.h"
#include "blocks/block_plan.h"
#include "instructions/rounds.h"

namespace cyclescope::blocks {
namespace {

// One block on its way: tried out until it runs, or until nothing is left to try.
struct Candidate {
  const BlockSubject* subject = nullptr;
  std::optional<AreaData> data;  // in place of what the block wants
  int place_in_line = 0;         // of a loop
  std::optional<Exploration> exploration;
  BlockPlan plan;
  std::optional<BlockRow> first_failure;  // what to tell the user if nothing runs
  bool concluded = false;                 // the plan's row is what there is to say
};

Candidate Prepare(const BlockSubject& subject, std::optional<AreaData> data, int place_in_line) {
  Candidate candidate{.subject = &subject, .data = data, .place_in_line = place_in_line};
  candidate.plan.row = subject.row;
  candidate.concluded = subject.refused;
  const Block& block = subject.block;
  if (subject.refused || block.strict) return candidate;
  const bool in_loop = block.loop == BlockLoop::kUnrolled;
  candidate.exploration.emplace(
      SetupsFor(subject.code,
                {.memory = block.memory,
                 .needs_passes = subject.is_loop || !CounterFor(block, subject.code).has_value(),
                 .allows_passes = in_loop,
                 .fixed_copies = subject.is_loop || block.unroll.has_value(),
                 .walks = subject.streams.bytes_per_trip != 0,
                 .has_areas = subject.has_areas(),
                 .has_data_exits = subject.exits.NeedsTrap(),
                 .needs_own_data = !subject.tables.empty() || subject.end.has_value(),
                 .data = data ? data : block.data}),
      sandbox::PageSize());
  return candidate;
}

// The next way to run it, which the plan then has; none where the plan's row says why.
std::optional<measure::Experiment> PlanNext(instructions::Planner& planner,
                                            const sandbox::KernelPlaces& places,
                                            Candidate& candidate) {
  Setup setup = candidate.exploration ? candidate.exploration->setup() : Setup();
  setup.place_in_line = candidate.place_in_line;
  const std::set<std::uint64_t> pages =
      candidate.exploration ? candidate.exploration->pages() : std::set<std::uint64_t>();
  candidate.plan = PlanBlock(planner, *candidate.subject, setup, pages, places);
  candidate.concluded = !candidate.plan.experiment;
  return candidate.plan.experiment;
}

// False when there is nothing left to try.
bool LearnFrom(const sandbox::Death& death, const instructions::Circumstances& circumstances,
               Candidate& candidate) {
  if (!candidate.exploration) return false;
  const auto& pages = candidate.plan.experiment->surroundings.pages;
  const auto& place = death.code_place;
  const bool left_early = place && place->kernel < candidate.plan.traps.size() &&
                          candidate.plan.traps[place->kernel] == place->offset;
  const bool goes_on = left_early ? candidate.exploration->LearnOfExit()
                                  : candidate.exploration->Learn(
                                        death, std::set<std::uint64_t>(pages.begin(), pages.end()));
  if (candidate.exploration->has_failed() && !candidate.first_failure) {
    measure::Measurement died;
    died.death = death;
    candidate.first_failure = ConcludeBlock(candidate.plan, died, circumstances);
  }
  return goes_on;
}

// True if constant data may make a difference: a loop that reads what we laid out for it.
bool DependsOnData(const BlockSubject& subject) {
  const Block& block = subject.block;
  return !subject.refused && subject.is_loop && subject.has_areas() && !block.memory &&
         !block.data && !block.strict &&
         std::ranges::any_of(subject.streams.uses, &MemoryUse::loads);
}

// Where in a line the code of a loop may begin in a program: as its file says, else where compilers
// put loops.
std::vector<int> PlacesOf(const BlockSubject& subject) {
  if (!subject.is_loop || subject.refused || subject.block.strict) return {0};
  if (!subject.block.code_offsets.empty()) return subject.block.code_offsets;
  return {0, 16, 32, 48};
}

// A candidate of the same snippet at another place: it was measured as the first was, or not at
// all.
std::optional<BlockPlace> PlaceOf(const Candidate& candidate, const BlockRow& first) {
  const BlockRow& row = candidate.plan.row;
  if (!candidate.concluded || !row.cycles || row.status != Status::kMeasured ||
      row.memory != first.memory)
    return std::nullopt;
  return BlockPlace{.offset = candidate.place_in_line, .cycles = *row.cycles};
}

bool HasLoadedIndex(const BlockSubject& subject, bool MemoryUse::* how) {
  return std::ranges::any_of(subject.streams.uses, [how](const MemoryUse& use) {
    return use.*how && !use.address.loads.empty();
  });
}

// The kinds of data that a loop is measured with besides the usual one. Few values in runs make a
// difference only where data decide about a branch, or about the place of a store.
std::vector<AreaData> OtherDataOf(const BlockSubject& subject) {
  if (!DependsOnData(subject)) return {};
  if (DataDecideBranch(subject) || !subject.tables.empty() ||
      HasLoadedIndex(subject, &MemoryUse::stores))
    return {AreaData::kConstant, AreaData::kFewValued};
  return {AreaData::kConstant};
}

// Why data make a difference, as far as the code tells.
std::string CauseOf(const BlockSubject& subject, const BlockRow& row) {
  const auto slowest = std::ranges::max_element(
      row.by_data, {}, [](const BlockData& each) { return each.cycles.value; });
  if (slowest->data == ToString(AreaData::kConstant)) {
    const bool reads_again =
        HasLoadedIndex(subject, &MemoryUse::stores) && HasLoadedIndex(subject, &MemoryUse::loads);
    return reads_again ? "forwarding" : "";
  }
  if (!subject.tables.empty()) return "jump";
  if (DataDecideBranch(subject)) return "branch";
  const bool divides = std::ranges::any_of(
      *subject.code.decoded,
      [](const assembler::Decoded& each) { return !each.instruction.value_sets.empty(); });
  return divides ? "division" : "";
}

// All kinds of data, where they differ by more than what does not matter, and than chance.
void AddOtherData(const BlockSubject& subject, const std::vector<const BlockRow*>& others,
                  bool trusts_cycles, BlockRow& row) {
  const auto is_good = [](const BlockRow& each) {
    const bool leaves_early =
        std::ranges::find(each.claims, ClaimCode::kLeavesEarly, &Claim::code) != each.claims.end();
    return each.cycles && each.status == Status::kMeasured && !each.cycles->contended &&
           !leaves_early;
  };
  if (!is_good(row) || row.memory != ToString(AreaData::kRandom)) return;
  std::vector<BlockData> kinds = {{row.memory, *row.cycles}};
  for (const BlockRow* other : others) {
    if (is_good(*other)) kinds.push_back({other->memory, *other->cycles});
  }
  const auto constant = std::ranges::find(kinds, ToString(AreaData::kConstant), &BlockData::data);
  const auto predicted = constant != kinds.end() && DataDecideBranch(subject)
                             ? PredictionClaim(*row.cycles, constant->cycles)
                             : std::nullopt;
  AddData(std::move(kinds), row);
  // Under an emulator nothing is predicted, and a jump whose target is new takes long all the same.
  if (!trusts_cycles) return;
  if (!row.by_data.empty()) row.data_cause = CauseOf(subject, row);
  for (Claim& claim : DataClaims(row)) AddNote(std::move(claim), row);
  if (predicted && row.data_cause != "branch") AddNote(*predicted, row);
}

// llvm-mca's figures; nothing where LLVM has no model, which a note says.
void AddPrediction(instructions::Planner& planner,
                   std::span<const assembler::Instruction> instructions, bool timeline,
                   BlockRow& row) {
  auto predicted = assembler::Predict(planner.assembler(), instructions, timeline);
  if (!predicted) {
    AddNote({ClaimCode::kNoPrediction, {{"reason", predicted.error().ToString()}}}, row);
    return;
  }
  const auto latency = [&](std::size_t index, const assembler::Operand& from,
                           const assembler::Operand& to) -> std::optional<double> {
    // The model knows nothing of what a write keeps of a register.
    if (!from.read) return std::nullopt;
    if (assembler::BreaksDependence(planner.assembler(), instructions[index])) return std::nullopt;
    return planner.assembler().ModelLatency(instructions[index], from.name, to.name);
  };
  row.mca = {
      .cpu = predicted->cpu,
      .cycles = predicted->cycles,
      .throughput_bound = predicted->throughput_bound,
      .latency_bound =
          predict::LongestChain(instructions, latency, predict::FindFlows(instructions)).cycles,
      .bottleneck = predicted->bottleneck,
      .timeline = predicted->timeline};
}

// What is measured together: first one candidate for each subject.
struct Candidates {
  std::vector<Candidate> list;
  // By subject: another of the same snippet with other data, or elsewhere in its line of code.
  std::map<std::size_t, std::vector<std::size_t>> other_data;
  std::map<std::size_t, std::vector<std::size_t>> other_places;
};

Candidates CandidatesFor(std::span<const BlockSubject> subjects, bool trusts_cycles) {
  Candidates all;
  for (const BlockSubject& subject : subjects)
    all.list.push_back(Prepare(subject, std::nullopt, PlacesOf(subject).front()));
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const std::vector<int> places = PlacesOf(subjects[i]);
    for (const AreaData data : OtherDataOf(subjects[i])) {
      all.other_data[i].push_back(all.list.size());
      all.list.push_back(Prepare(subjects[i], data, places.front()));
    }
    // Under an emulator it makes no difference.
    for (std::size_t k = 1; trusts_cycles && k < places.size(); ++k) {
      all.other_places[i].push_back(all.list.size());
      all.list.push_back(Prepare(subjects[i], std::nullopt, places[k]));
    }
  }
  return all;
}

// A candidate, and those of the same snippet at other places; none where there are no others.
std::vector<std::size_t> AllPlacesOf(const Candidates& all, std::size_t subject) {
  const auto others = all.other_places.find(subject);
  if (others == all.other_places.end()) return {};
  std::vector<std::size_t> places = {subject};
  places.insert(places.end(), others->second.begin(), others->second.end());
  return places;
}

std::vector<std::size_t> Due(const std::vector<Candidate>& candidates) {
  std::vector<std::size_t> due;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!candidates[i].concluded) due.push_back(i);
  }
  return due;
}

// Tries each of `due` out until it runs, measures it and concludes.
void RunCandidates(instructions::Bench& bench, instructions::Planner& planner,
                   const GoesOn& goes_on, std::vector<std::size_t> due,
                   std::vector<Candidate>& candidates) {
  const auto places = sandbox::FindKernelPlaces();
  assert(places && "there is a worker, and so its memory");
  std::vector<measure::Experiment> experiments;
  std::erase_if(due, [&](std::size_t index) {
    auto experiment = PlanNext(planner, *places, candidates[index]);
    if (experiment) experiments.push_back(std::move(*experiment));
    return !experiment;
  });
  const auto replace = [&](std::size_t index,
                           const sandbox::Death& death) -> std::optional<measure::Experiment> {
    Candidate& candidate = candidates[due[index]];
    if (!LearnFrom(death, bench.circumstances(), candidate)) return std::nullopt;
    return PlanNext(planner, *places, candidate);
  };
  const std::vector<measure::Measurement> measured =
      bench.runner().Run(experiments, goes_on, replace);
  for (std::size_t i = 0; i < due.size(); ++i) {
    Candidate& candidate = candidates[due[i]];
    if (candidate.concluded || measured[i].cut_short) continue;
    candidate.plan.row = measured[i].death && candidate.first_failure
                             ? *candidate.first_failure
                             : ConcludeBlock(candidate.plan, measured[i], bench.circumstances());
    candidate.concluded = true;
  }
}

// The places at which a snippet took longer than at its fastest.
std::vector<std::size_t> SlowPlacesOf(const Candidates& all, std::size_t subject) {
  std::map<std::size_t, Estimate> times;
  for (const std::size_t index : AllPlacesOf(all, subject)) {
    if (auto place = PlaceOf(all.list[index], all.list[subject].plan.row))
      times.emplace(index, std::move(place->cycles));
  }
  std::vector<std::size_t> slow;
  if (times.empty()) return slow;
  const Estimate& fastest = std::ranges::min_element(times, {}, [](const auto& each) {
                              return each.second.value;
                            })->second;
  for (const auto& [index, time] : times) {
    if (TimesDiffer(time, fastest)) slow.push_back(index);
  }
  return slow;
}

// A neighbour that takes the core's first cache away, and few of its slots, is not seen by probes,
// and makes what is visited meanwhile look slow: on an Emerald Rapids 1.0 cycles became 3.0 at one
// of four places. So slow places are visited once more, and the shorter time counts.
void ConfirmSlowPlaces(instructions::Bench& bench, instructions::Planner& planner,
                       const GoesOn& goes_on, Candidates& all) {
  std::vector<std::size_t> slow;
  for (const auto& [subject, others] : all.other_places) {
    for (const std::size_t index : SlowPlacesOf(all, subject)) slow.push_back(index);
  }
  std::map<std::size_t, Candidate> before;
  for (const std::size_t index : slow) {
    before.emplace(index, all.list[index]);
    all.list[index].concluded = false;
  }
  RunCandidates(bench, planner, goes_on, slow, all.list);
  for (const std::size_t index : slow) {
    Candidate& again = all.list[index];
    const Candidate& first = before.at(index);
    const auto time = again.concluded ? PlaceOf(again, first.plan.row) : std::nullopt;
    if (!time || time->cycles.contended || time->cycles.value > first.plan.row.cycles->value)
      again = first;
  }
}

// Not where data decide about branches: whether those are predicted differs from visit to visit.
void AddOtherPlaces(const Candidates& all, std::size_t subject, BlockRow& row) {
  const std::vector<std::size_t> indexes = AllPlacesOf(all, subject);
  const bool data_decide = !indexes.empty() && !row.by_data.empty() &&
                           !all.list[subject].subject->loop->shape.choices.empty();
  if (data_decide) return;
  std::vector<BlockPlace> places;
  for (const std::size_t index : indexes) {
    if (auto place = PlaceOf(all.list[index], row)) places.push_back(*std::move(place));
  }
  const auto usual = AddPlaces(std::move(places), row);
  for (const std::size_t index : indexes) {
    if (all.list[index].place_in_line == usual) row.classic = all.list[index].plan.row.classic;
  }
}

}  // namespace

std::vector<std::optional<BlockRow>> MeasureBlocks(instructions::Bench& bench,
                                                   instructions::Planner& planner,
                                                   std::span<const BlockSubject> subjects,
                                                   const GoesOn& goes_on) {
  Candidates all = CandidatesFor(subjects, bench.circumstances().trusts_cycles);
  std::vector<Candidate>& candidates = all.list;
  RunCandidates(bench, planner, goes_on, Due(candidates), candidates);
  ConfirmSlowPlaces(bench, planner, goes_on, all);
  std::vector<std::optional<BlockRow>> rows(subjects.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!candidates[i].concluded) continue;
    rows[i] = candidates[i].plan.row;
    std::vector<const BlockRow*> others;
    for (const std::size_t other : all.other_data[i]) {
      const Candidate& candidate = candidates[other];
      // Not where it ran only with other memory than was wanted.
      if (candidate.concluded && candidate.plan.row.memory == ToString(*candidate.data))
        others.push_back(&candidate.plan.row);
    }
    if (!others.empty())
      AddOtherData(subjects[i], others, bench.circumstances().trusts_cycles, *rows[i]);
    AddOtherPlaces(all, i, *rows[i]);
  }
  return rows;
}

void PredictBlock(instructions::Planner& planner, const BlockSubject& subject, bool timeline,
                  BlockRow& row) {
  if (!row.cycles || !subject.code.decoded) return;
  std::vector<assembler::Instruction> instructions;
  for (const assembler::Decoded& each : *subject.code.decoded)
    instructions.push_back(each.instruction);
  AddPrediction(planner, instructions, timeline, row);
}

namespace {

// How many instructions start in a cycle, by the fastest of the mixes that `anatomy` reads it from;
// 0 where one of them could not be measured.
double MeasureWidth(instructions::Bench& bench, instructions::Planner& planner,
                    const GoesOn& goes_on) {
  std::vector<BlockSubject> mixes;
  for (const arch::StraightMix& mix : arch::StraightMixes()) {
    if (arch::IsNopAlone(mix.code)) continue;
    Block block;
    block.text = fmt::format("{}", fmt::join(mix.code, "; "));
    auto snippet = planner.assembler().Assemble(block.text);
    assert(snippet && "it is our own");
    block.bytes = std::move(snippet->bytes);
    block.instructions = std::move(snippet->instructions);
    mixes.push_back(ReadBlock(planner.assembler(), std::move(block), bench.filters_system_calls()));
  }
  double width = 0;
  for (const auto& row : MeasureBlocks(bench, planner, mixes, goes_on)) {
    if (!row || !row->cycles || row->status != Status::kMeasured || row->cycles->contended)
      return 0;
    width = std::max(width, row->instructions / row->cycles->value);
  }
  return WholeSlots(width);
}

// The rows of instructions, each text measured once; false where it was cut short.
bool MeasureParts(instructions::Bench& bench, instructions::Planner& planner,
                  const BlockSubject& subject, const GoesOn& goes_on, KnownParts& known,
                  std::map<std::string, InstructionRow>& contended) {
  std::vector<instructions::FormPlan> plans;
  std::vector<std::string> texts;  // of the plans
  for (const assembler::Decoded& each : *subject.code.decoded) {
    const std::string& text = each.instruction.text;
    if (known.rows.contains(text) || std::ranges::find(texts, text) != texts.end()) continue;
    texts.push_back(text);
    plans.push_back(
        instructions::PlanForm(planner, each.instruction, {}, bench.filters_system_calls()));
  }
  const auto rows = bench.Measure(std::move(plans), planner, goes_on);
  // Where it was cut short, nothing is said.
  if (std::ranges::any_of(rows, [](const auto& each) { return !each.has_value(); })) return false;
  // What had no quiet moment may have one the next time.
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (instructions::HasContendedValue(*rows[i]))
      contended.emplace(texts[i], *rows[i]);
    else
      known.rows.emplace(texts[i], *rows[i]);
  }
  return true;
}

}  // namespace

void ExplainBlock(instructions::Bench& bench, instructions::Planner& planner,
                  const BlockSubject& subject, const GoesOn& goes_on, KnownParts& known,
                  BlockRow& row) {
  // Where cycles mean nothing, bounds do not either.
  if (!row.cycles || !subject.code.decoded || !bench.circumstances().trusts_cycles) return;
  constexpr std::size_t kMostWays = 64;
  const std::vector<BlockWay> ways = WaysOf(subject, kMostWays);
  if (ways.empty()) return;
  std::map<std::string, InstructionRow> contended;
  if (!MeasureParts(bench, planner, subject, goes_on, known, contended)) return;
  if (known.width == 0) known.width = MeasureWidth(bench, planner, goes_on);
  // Instructions of ours set the bases that it overwrites before each run: nothing waits for them.
  const bool sets_bases =
      std::ranges::find(row.claims, ClaimCode::kSetsBases, &Claim::code) != row.claims.end();
  const std::uint32_t set_before = sets_bases ? subject.code.bases & subject.code.written : 0;
  // Where there are several ways, the cheapest is the bound.
  for (const BlockWay& way : ways) {
    std::vector<InstructionRow> parts;
    for (const assembler::Instruction& instruction : way.instructions) {
      const auto found = known.rows.find(instruction.text);
      parts.push_back(found != known.rows.end() ? found->second : contended.at(instruction.text));
    }
    const BlockBounds bounds =
        BoundsOf(way.instructions, parts, known.width, way.memory, set_before);
    if (!row.bounds || LargestOf(bounds) < LargestOf(*row.bounds)) row.bounds = bounds;
  }
  DropFailedBounds(*row.cycles, row);
  FindWhatBinds(*row.cycles, *row.bounds);
  if (auto claim = AccumulatorClaim(row)) AddNote(std::move(*claim), row);
}

}  // namespace cyclescope::blocks
