#include "blocks/block_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

#include "analysis/claims.h"
#include "analysis/row_figures.h"
#include "arch/kernel_parts.h"
#include "blocks/block_kernel.h"
#include "blocks/block_trips.h"
#include "blocks/initial_state.h"
#include "instructions/classic.h"
#include "instructions/conclude.h"

namespace cyclescope::blocks {
namespace {

// As a double 2^-95, as a float 0.0005.
constexpr std::uint64_t kSmallNumbers = 0x3a00'3a00'3a00'3a00;

// Trips or copies of the shorter kernel: over 512 elements, as far as twice as many stay within the
// footprint. How many there are matters, as it does in programs: the branch that ends a loop of
// 128 trips may be predicted, and that of 256 not.
int MostTrips(const Block& block, const BlockSubject& subject) {
  constexpr std::int64_t kElements = 512;
  constexpr std::int64_t kMostTrips = 1 << 24;
  constexpr std::int64_t kFewestTrips = 16;
  const std::int64_t bytes = std::max<std::int64_t>(subject.streams.bytes_per_trip, 1);
  if (block.footprint)
    return static_cast<int>(
        std::clamp<std::int64_t>(*block.footprint / (2 * bytes), 1, kMostTrips));
  const std::int64_t usual = std::max(kElements / subject.streams.elements_per_trip, kFewestTrips);
  const std::int64_t most = std::max(block.first_cache / 2 / (2 * bytes), kFewestTrips);
  return static_cast<int>(std::min(usual, most));
}

// Copies of the snippet in the shorter kernel, when the user does not say. In a loop they fill a
// number of bytes. Without a loop the copies alone must last long enough for the clock. In passes
// there are enough that setting up counts for little, but twice as many still fit where the core
// keeps decoded instructions.
int UsualCopies(const Block& block, const BlockSubject& subject, const Setup& setup) {
  if (block.loop == BlockLoop::kAsLoop) return 1;
  const auto times = [](std::size_t wanted, std::size_t each) {
    return static_cast<int>(std::max<std::size_t>(wanted / std::max<std::size_t>(each, 1), 1));
  };
  const std::size_t bytes = subject.code.bytes.size();
  if (block.loop == BlockLoop::kStraight) return times(std::size_t{16} * 1024, bytes);
  // The fastest level of a branch predictor holds few (Neoverse V1's 96): a loop has one.
  constexpr int kMaxLoopBranches = 16;
  if (subject.leads_on && !setup.passes)
    return std::min(kMaxLoopBranches, times(arch::SteadyLoopBytes(), bytes));
  if (!setup.passes) {
    // Of long ones some more, as far as they fit into a loop twice as long.
    constexpr int kMaxLongCopies = 4;
    const int copies = times(arch::SteadyLoopBytes(), bytes);
    return std::max(copies, std::min(kMaxLongCopies, times(2 * arch::SteadyLoopBytes(), bytes)));
  }
  constexpr std::size_t kPassInstructions = 400;
  const int copies = times(kPassInstructions, static_cast<std::size_t>(subject.row.instructions));
  return std::min({copies, setup.most_copies.value_or(copies), MostTrips(block, subject)});
}

measure::Difference DifferenceOf(BlockLoop loop) {
  switch (loop) {
    case BlockLoop::kUnrolled:
      return measure::Difference::kCopies;
    case BlockLoop::kAsLoop:
      return measure::Difference::kLoops;
    case BlockLoop::kStraight:
      return measure::Difference::kStraight;
  }
  std::unreachable();
}

// What the copies that the user wants must take at least.
double LeastBodyCycles(BlockLoop loop) {
  switch (loop) {
    case BlockLoop::kUnrolled:
      // The end of a loop is hidden behind a longer body, and the difference of two lengths takes
      // it off; not where the body is so short that the core waits for the end of the loop.
      return 8;
    case BlockLoop::kAsLoop:
      return 0;
    case BlockLoop::kStraight:
      // Two calls differ by some cycles for no reason.
      return 150;
  }
  std::unreachable();
}

std::uint32_t GeneralRegistersUsed(const std::vector<assembler::Instruction>& instructions) {
  std::uint32_t used = 0;
  for (const assembler::Instruction& instruction : instructions) {
    for (const assembler::Operand& operand : instruction.operands) {
      if (operand.kind != assembler::OperandKind::kRegister ||
          operand.reg.file != RegisterFile::kGeneral)
        continue;
      for (int i = 0; i < operand.count; ++i)
        used |= 1U << (operand.reg.index + i * operand.stride) % 32;
    }
  }
  return used;
}

// True if the first pass could see flags that the loop's end has set.
bool ReadsFlagsFirst(const BlockCode& code) {
  if (!code.decoded) return true;
  for (const assembler::Decoded& each : *code.decoded) {
    for (const assembler::Operand& operand : each.instruction.operands) {
      if (operand.reg.file == RegisterFile::kFlags && operand.read) return true;
    }
    for (const assembler::Operand& operand : each.instruction.operands) {
      if (operand.reg.file == RegisterFile::kFlags && operand.written) return false;
    }
  }
  return false;
}

// The code with the addresses of symbols, and with the tables that it finds by a displacement at
// kLowTables.
BlockCode WithAddresses(instructions::Planner& planner, const BlockSubject& subject,
                        const std::map<int, std::uint64_t>& symbols) {
  BlockCode code = subject.code;
  for (const SymbolUse& use : code.symbols) {
    const std::uint64_t value = symbols.at(use.number) + static_cast<std::uint64_t>(use.addend);
    const std::size_t at = (*code.decoded)[use.instruction].offset + use.at;
    std::memcpy(&code.bytes[at], &value, std::min(use.bytes, sizeof(value)));
  }
  const std::vector<std::size_t> offsets = OffsetsOfTables(subject.tables);
  for (std::size_t i = 0; i < subject.tables.size(); ++i) {
    const TableUse& use = subject.tables[i];
    if (use.table_register) continue;
    const assembler::Decoded& load = (*code.decoded)[use.load];
    const auto& operands = load.instruction.operands;
    const auto displacement = std::ranges::find(operands, assembler::AddressPart::kDisplacement,
                                                &assembler::Operand::address);
    assert(displacement != operands.end());
    const auto set = planner.assembler().SetValue(
        load.instruction, static_cast<std::size_t>(displacement - operands.begin()),
        static_cast<std::int64_t>(kLowTables + offsets[i]));
    assert(set && "it has 32 bits");
    const assembler::Bytes bytes = planner.assembler().Encode(*set);
    assert(bytes.size() <= load.size && "a prefix may be missing");
    std::ranges::copy(bytes, code.bytes.begin() + static_cast<std::ptrdiff_t>(
                                                      load.offset + load.size - bytes.size()));
  }
  return code;
}

void AddLowTables(const std::vector<std::uint8_t>& tables, sandbox::Surroundings& surroundings) {
  const std::size_t page = sandbox::PageSize();
  sandbox::MemoryArea area;
  area.address = kLowTables;
  area.bytes = (tables.size() + page - 1) / page * page;
  surroundings.areas.push_back(area);
  surroundings.image.insert(surroundings.image.end(), tables.begin(), tables.end());
  surroundings.image.resize(surroundings.image.size() + area.bytes - tables.size());
}

// Where the code begins so that the loop does where it should: a jump that was put in before it
// ("jump into the middle") is no part of that.
std::size_t PlaceInLine(const BlockSubject& subject, const Setup& setup) {
  constexpr int kCodeLine = static_cast<int>(sandbox::kKernelAlignment);
  int place = setup.place_in_line;
  const assembler::Decoded& first = subject.code.decoded->front();
  if (first.instruction.flags.never_falls_through && first.branch_distance)
    place -= static_cast<int>(first.size);
  return static_cast<std::size_t>((place % kCodeLine + kCodeLine) % kCodeLine);
}

// Lets the loop make twice as many trips in the longer kernel. How many it makes in the shorter.
Result<int> MakeTrips(const Block& block, const BlockSubject& subject,
                      const std::map<int, std::uint64_t>& symbols, BlockKernelSpec& spec) {
  const BlockCode& code = subject.code;
  const int trips = block.trips.value_or(MostTrips(block, subject));
  spec.copies = {1, 1};
  std::map<int, std::uint64_t> known = spec.registers;
  known.insert(symbols.begin(), symbols.end());
  const auto shorter = ValuesForTrips(code, *subject.loop, known, trips);
  const auto longer = ValuesForTrips(code, *subject.loop, known, 2 * trips);
  if (shorter && longer) {
    for (const auto& [index, value] : *shorter) {
      if (block.registers.contains(index)) {
        return Failed("the register that counts the loop's trips is also set with --set",
                      "say how many there should be: --trips N");
      }
      spec.registers[index] = value;
    }
    spec.longer_registers = *longer;
    return trips;
  }
  // The shorter run begins where the longer one has half of its trips left.
  if (subject.end) {
    const auto& [walks, step] = std::pair(subject.end->walks, subject.end->step);
    const std::uint64_t begin = spec.registers.at(walks);
    spec.longer_registers[walks] = begin;
    spec.registers[walks] = begin + static_cast<std::uint64_t>(step * trips);
    return trips;
  }
  // The user knows which one counts, and how far.
  if (const auto counter = CounterOfUser(block, code)) {
    const std::uint64_t value = block.registers.at(*counter);
    spec.longer_registers[*counter] = 2 * value;
    return static_cast<int>(value);
  }
  return Failed("which register counts the loop's trips cannot be seen from the code",
                "leave out --trips, or set the register to the number of trips, as in --set "
                "REGISTER=500");
}

// What the kernels are made of, but for how often a loop makes trips; `code` must outlive it. Fails
// where no register is left to count loops.
Result<BlockKernelSpec> SpecOf(const BlockSubject& subject, const Setup& setup,
                               const InitialState& state, const BlockCode& code, int copies) {
  const Block& block = subject.block;
  BlockKernelSpec spec;
  spec.code = &code;
  spec.init = &block.init;
  spec.registers = state.registers;
  spec.stack = state.stack;
  if (setup.vectors != VectorValues::kOrdinary) {
    const std::uint64_t pattern = setup.vectors == VectorValues::kSmall ? kSmallNumbers : 0;
    for (int i = 0; i < arch::VectorRegisters(); ++i) spec.vectors.push_back({i, pattern});
  }
  spec.vectors.insert(spec.vectors.end(), block.vectors.begin(), block.vectors.end());
  spec.flush_denormals = !block.strict;
  spec.move_data = !block.strict;
  spec.loop = block.loop;
  spec.keep_flags = ReadsFlagsFirst(subject.code);
  spec.passes = setup.passes;
  spec.sets_stack = setup.sets_stack;
  if (setup.sets_bases) spec.sets_registers = subject.code.bases & subject.code.written;
  if (!setup.passes && block.loop != BlockLoop::kStraight) {
    spec.counter = CounterFor(block, subject.code);
    if (!spec.counter)
      return Failed("the snippet uses every general register and leaves none to count its loops");
  }
  spec.copies = {copies, block.loop == BlockLoop::kAsLoop ? copies : 2 * copies};
  spec.tables = subject.tables;
  if (!subject.is_loop) return spec;
  spec.place_in_line = PlaceInLine(subject, setup);
  spec.one_code = setup.passes;
  if (!setup.leaves_early) spec.trapped_exits = &subject.exits;
  return spec;
}

// All of it but the kernels.
measure::Experiment ExperimentOf(const BlockSubject& subject, const Setup& setup,
                                 const InitialState& state, const BlockRow& row) {
  const BlockLoop loop = subject.block.loop;
  measure::Experiment experiment;
  experiment.difference = DifferenceOf(loop);
  experiment.units = subject.is_loop ? row.trips : row.unroll;
  experiment.memory = state.memory;
  experiment.alone = true;
  experiment.surroundings = state.surroundings;
  // Where data decide which way a trip goes, a fast visit is a lucky one.
  const bool one_way = !subject.loop || subject.loop->shape.choices.empty();
  experiment.has_several_speeds = arch::LoopsHaveSeveralSpeeds() && one_way;
  experiment.learns_branches = !one_way;
  // The loop ends in two or three instructions of ours; a pass begins with many.
  constexpr int kMinLoopInstructions = 32;
  experiment.takes_twice_as_long =
      subject.is_loop || loop == BlockLoop::kAsLoop ||
      (!setup.passes && row.unroll * row.instructions >= kMinLoopInstructions);
  return experiment;
}

// Why there is no value: the code ended its worker.
void ConcludeDeath(const BlockPlan& plan, const sandbox::Death& death, BlockRow& row) {
  InstructionRow failed;
  instructions::Fail(death, failed);
  row.status = failed.status;
  row.reason = failed.reason;
  const bool ends_by_design = row.status == Status::kUnsupported && plan.ends_programs;
  if (!ends_by_design)
    row.claims.insert(row.claims.end(), failed.claims.begin(), failed.claims.end());
  // A place in a kernel means nothing to the user; one in the snippet does.
  if (death.code_place && death.code_place->offset >= plan.prologue_bytes) {
    row.reason += fmt::format(", at or just before byte {} of the snippet",
                              (death.code_place->offset - plan.prologue_bytes) %
                                  std::max<std::size_t>(plan.snippet_bytes, 1));
  }
  if (ends_by_design) {
    row.reason =
        (row.instructions == 1 ? std::string("it ") : std::string("one of its instructions ")) +
        instructions::kEndsPrograms;
  } else if (row.status == Status::kCrashed && plan.moves_stack) {
    AddNote({ClaimCode::kMovesStack, {}}, row);
  } else if (row.status == Status::kTimeout && plan.endless_from) {
    AddNote({ClaimCode::kNothingEndsLoop, {{"place", static_cast<double>(*plan.endless_from + 1)}}},
            row);
  }
}

// Where the runs of a loop are so short that their begins and ends show.
void AddNotesOfTrips(const BlockPlan& plan, BlockRow& row) {
  // A misprediction takes 10 to 25 cycles (`anatomy` measures it): 5 % of this.
  constexpr double kShortLoopCycles = 400;
  // Entries of the reorder buffer of a Golden Cove.
  constexpr int kLargestWindow = 512;
  const double cycles = row.trips * row.cycles->value;
  if (cycles < kShortLoopCycles) {
    AddNote({ClaimCode::kEndOfLoopShows,
             {{"trips", static_cast<double>(row.trips)}, {"cycles", cycles}}},
            row);
  }
  const int instructions = row.trips * row.instructions;
  if (instructions >= kLargestWindow && !plan.inside_loop) return;
  Claim claim{ClaimCode::kRunsOverlap, {}};
  if (instructions < kLargestWindow)
    claim.figures.push_back({"instructions", static_cast<double>(instructions)});
  AddNote(std::move(claim), row);
}

// With branches only counters know how many instructions were executed.
void AddClassic(const BlockPlan& plan, const measure::Totals& totals,
                const instructions::Circumstances& circumstances, BlockRow& row) {
  if (!(totals.instructions || plan.knows_count) || circumstances.clock == nullptr) return;
  const instructions::ClassicValue value = {
      .cycles = ShownCycles(row.cycles->contended, *row.cycles),
      .upper_bound = row.cycles->contended,
      .instructions_per_unit = static_cast<double>(std::max(row.instructions, 1))};
  if (auto classic = instructions::MakeClassicRow("BLK", value, totals, *circumstances.clock))
    row.classic.push_back(std::move(*classic));
}

std::string WhyTooShort(const BlockRow& row) {
  const double cycles = row.cycles->value * row.unroll;
  return fmt::format(
      "{} cop{} take{} {:.1f} cycles, too few beside {}", row.unroll, row.unroll == 1 ? "y" : "ies",
      row.unroll == 1 ? "s" : "", cycles,
      row.loop ? "the end of the loop: give more with --unroll, or count the end of the loop with "
                 "--loop"
               : "what calling them takes: give more with --unroll");
}

}  // namespace

std::optional<int> CounterFor(const Block& block, const BlockCode& code) {
  std::uint32_t set = 0;
  for (const auto& [index, value] : block.registers) set |= 1U << index;
  const std::uint32_t free = arch::GeneralRegisters() & ~code.used & ~set &
                             ~GeneralRegistersUsed(block.init_instructions) &
                             ~(1U << arch::ReservedRegisters().loops_argument);
  if (free == 0) return std::nullopt;
  return std::bit_width(free) - 1;
}

BlockPlan PlanBlock(instructions::Planner& planner, const BlockSubject& subject, const Setup& setup,
                    const std::set<std::uint64_t>& pages, const sandbox::KernelPlaces& places) {
  const Block& block = subject.block;
  BlockPlan plan;
  plan.row = subject.row;
  plan.knows_count = subject.knows_count;
  plan.inside_loop = block.inside_loop;
  plan.moves_stack = subject.code.moves_stack;
  plan.ends_programs =
      subject.code.decoded && std::ranges::any_of(*subject.code.decoded, [](const auto& each) {
        return each.instruction.flags.traps;
      });
  plan.endless_from = BeginOfEndless(subject.code);
  plan.snippet_bytes = subject.code.bytes.size();
  plan.row.unroll = block.unroll.value_or(UsualCopies(block, subject, setup));
  const int shortest = subject.is_loop ? block.trips.value_or(MostTrips(block, subject))
                       : setup.passes  ? plan.row.unroll
                                       : 1;
  const InitialState state = StateOf(planner, subject, setup, pages, places, 2 * shortest);
  DescribeState(planner, subject, setup, state, plan.row);

  if (subject.is_loop && subject.exits.NeedsTrap() && !setup.leaves_early)
    AddNote({ClaimCode::kNeverEndedByData, {}}, plan.row);

  const auto without_experiment = [&plan](const Error& why) {
    plan.row.status = Status::kUnmeasurable;
    plan.row.reason = why.ToString();
    return plan;
  };
  const BlockCode code = WithAddresses(planner, subject, state.symbols);
  auto spec = SpecOf(subject, setup, state, code, plan.row.unroll);
  if (!spec) return without_experiment(spec.error());
  if (subject.is_loop) {
    const auto trips = MakeTrips(block, subject, state.symbols, *spec);
    if (!trips) return without_experiment(trips.error());
    plan.row.trips = *trips;
    plan.row.unroll = 1;
  }
  auto built = BuildBlockKernels(planner.builder(), *spec, places);
  if (!built) return without_experiment(built.error());
  plan.prologue_bytes = built->prologue_bytes;
  plan.traps = built->traps;
  if (block.unroll && !subject.is_loop) plan.least_body_cycles = LeastBodyCycles(block.loop);
  plan.experiment = ExperimentOf(subject, setup, state, plan.row);
  plan.experiment->kernels = std::move(built->kernels);
  if (!built->low_tables.empty()) AddLowTables(built->low_tables, plan.experiment->surroundings);
  return plan;
}

BlockRow ConcludeBlock(const BlockPlan& plan, const measure::Measurement& measurement,
                       const instructions::Circumstances& circumstances) {
  BlockRow row = plan.row;
  if (measurement.death) {
    ConcludeDeath(plan, *measurement.death, row);
    return row;
  }
  if (!measurement.has_value()) {
    row.status = Status::kDisturbed;
    row.reason = instructions::kTooFewSamples;
    return row;
  }
  row.cycles = EstimateOf(measurement, circumstances.confidence);
  if (plan.least_body_cycles > 0 && row.cycles->value * row.unroll < plan.least_body_cycles) {
    row.status = Status::kUnmeasurable;
    row.reason = WhyTooShort(row);
    row.cycles.reset();
    return row;
  }
  if (measure::IsOfFastQuarter(measurement) && row.cycles->states.size() == 2) {
    const ValueState& fast = row.cycles->states[0];
    const ValueState& slow = row.cycles->states[1];
    AddNote({ClaimCode::kFastQuarter, {{"share", slow.share}, {"lost", slow.value - fast.value}}},
            row);
  }
  if (row.cycles->disturbed) {
    row.status = Status::kDisturbed;
    row.reason = instructions::kTooFewSamples;
  } else if (row.trips > 0) {
    AddNotesOfTrips(plan, row);
  }
  AddClassic(plan, measurement.totals, circumstances, row);
  return row;
}

}  // namespace cyclescope::blocks
