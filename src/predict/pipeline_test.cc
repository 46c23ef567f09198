#include "predict/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/core_model.h"

namespace cyclescope::predict {
namespace {

using ::testing::DoubleNear;

// A program of instructions with one µop each.
class Made {
 public:
  // Inputs: how far back the producer stands in the iteration, and its latency; "carried" ones are
  // those of the iteration before, by their number.
  Made& Add(PortSet ports, std::vector<UopInput> inputs = {}, double latency = 1) {
    const std::size_t number = program.uops.size();
    ProgramInstruction instruction;
    instruction.first_uop = number;
    instruction.uops = 1;
    instruction.holds[static_cast<std::size_t>(Window::kReorderBuffer)] = 1;
    program.instructions.push_back(instruction);
    program.uops.push_back({.instruction = number,
                            .ports = ports,
                            .inputs = std::move(inputs),
                            .done_cycles = latency});
    return *this;
  }

  BlockProgram program;
};

PipelineCore Core(double dispatch, int ports) {
  PipelineCore core;
  core.dispatch = dispatch;
  core.ports = ports;
  return core;
}

double CyclesOf(const PipelineCore& core, const Made& made) {
  return RunPipeline(core, made.program).cycles;
}

TEST(Pipeline, DispatchPortsAndChainsBind) {
  Made wide;
  for (int i = 0; i < 6; ++i) wide.Add(0b1111);
  EXPECT_THAT(CyclesOf(Core(4, 4), wide), DoubleNear(1.5, 1e-9));
  EXPECT_THAT(CyclesOf(Core(8, 4), wide), DoubleNear(1.5, 1e-9));
  EXPECT_TRUE(RunPipeline(Core(8, 4), wide.program).settled);
  EXPECT_THAT(CyclesOf(Core(8, 8), Made().Add(0b1).Add(0b1).Add(0b11)), DoubleNear(2, 1e-9));
  // A chain of 3 and 1 from one iteration to the next.
  EXPECT_THAT(CyclesOf(Core(4, 4), Made().Add(0b1, {{1, 1, 1}}, 3).Add(0b10, {{0, 0, 3}})),
              DoubleNear(4, 1e-9));
}

TEST(Pipeline, WidthsAndLatenciesMayHaveFractions) {
  Made five;
  for (int i = 0; i < 5; ++i) five.Add(0b11111);
  EXPECT_THAT(CyclesOf(Core(2.5, 5), five), DoubleNear(2, 1e-9));
  // zmm additions on Golden Cove take 3.5 cycles.
  EXPECT_THAT(CyclesOf(Core(4, 4), Made().Add(0b1, {{0, 1, 3.5}}, 3.5)), DoubleNear(3.5, 1e-9));
}

TEST(Pipeline, WhatIsDoneAtRenameTakesASlotAndNothingElse) {
  // A move in a chain of additions.
  const Made made = Made().Add(0b11, {{1, 1, 0}}).Add(0, {{0, 0, 1}}, 0);
  EXPECT_THAT(CyclesOf(Core(4, 2), made), DoubleNear(1, 1e-9));
}

TEST(Pipeline, AUnitThatIsNotPipelinedBinds) {
  Made made;
  made.Add(0b1).Add(0b10);
  made.program.units = {"div"};
  made.program.uops[0].unit = 0;
  made.program.uops[0].unit_cycles = 10;
  EXPECT_THAT(CyclesOf(Core(4, 2), made), DoubleNear(10, 1e-9));
}

TEST(Pipeline, ATakenBranchEndsAnIteration) {
  Made made;
  made.Add(0b1);
  made.program.instructions.back().jumps = true;
  PipelineCore core = Core(8, 4);
  made.program.branch_cycles = 2;
  EXPECT_THAT(CyclesOf(core, made), DoubleNear(2, 1e-9));
  made.program.branch_cycles = 0.5;
  made.program.uops[0].ports = 0b1111;
  EXPECT_THAT(CyclesOf(core, made), DoubleNear(0.5, 1e-9));
}

TEST(Pipeline, JumpsInsideOfAnIterationTakeTheirTime) {
  Made made;
  made.Add(0b1111).Add(0b1111).Add(0b1111);
  PipelineCore core = Core(8, 4);
  EXPECT_THAT(CyclesOf(core, made), DoubleNear(0.75, 1e-9));
  made.program.instructions[0].jumps = made.program.instructions[1].jumps = true;
  EXPECT_THAT(CyclesOf(core, made), DoubleNear(2, 1e-9));
}

TEST(Pipeline, WhoIsCriticalIsNotKnownWhenPortsAreChosen) {
  // `sub x2, x4, x3; sub x2, x2, #256; add x3, x3, #128` on few ports: a chain of 1 and ports of 1
  // take longer together where ports are chosen at dispatch.
  const Made made = Made().Add(0b111, {{2, 1, 1}}).Add(0b111, {{0, 0, 1}}).Add(0b111, {{2, 1, 1}});
  EXPECT_GT(CyclesOf(Core(8, 3), made), 1.05);
}

TEST(Pipeline, PortsChosenInTurnKeepChainsWaiting) {
  // Six chains on five ports took 1.53 cycles on an Emerald Rapids, where the ports need 1.2.
  Made made;
  for (std::size_t i = 0; i < 6; ++i) made.Add(0b11111, {{i, 1, 1}});
  PipelineCore core = Core(6, 5);
  core.sizes[static_cast<std::size_t>(Window::kScheduler)] = 97;
  EXPECT_THAT(CyclesOf(core, made), DoubleNear(1.2, 0.01));
  core.choice = PortChoice::kInTurn;
  EXPECT_THAT(CyclesOf(core, made), DoubleNear(1.5, 0.1));
}

// `add r12d, 1; cmp dword ptr [rsp + 12], r12d` took 1.04 cycles on an Emerald Rapids: the load
// does not take a turn of its own, so that both others go to different ports.
TEST(Pipeline, ALoadAndWhatItIsForAreOfOneSlot) {
  Made made;
  made.Add(0b11111, {{0, 1, 1}}).Add(0b11100000);
  made.program.uops.push_back(
      {.instruction = 1, .ports = 0b11111, .inputs = {{1, 0, 5}, {0, 0, 1}}});
  made.program.instructions.back().uops = 2;
  PipelineCore core = Core(6, 8);
  core.sizes[static_cast<std::size_t>(Window::kScheduler)] = 97;
  core.choice = PortChoice::kInTurn;
  EXPECT_THAT(CyclesOf(core, made), DoubleNear(1, 0.05));
}

// As on Golden Cove: three loads start in a cycle, and two of one bank.
TEST(Pipeline, LoadsOfOneBankKeepEachOtherWaiting) {
  PipelineCore core = Core(6, 3);
  core.loads_of_a_bank = 2;
  const auto loads = [](const std::vector<LoadPlace>& places) {
    Made made;
    for (const LoadPlace& place : places) {
      made.Add(0b111, {}, 5);
      made.program.uops.back().reads = place;
    }
    return made;
  };
  EXPECT_THAT(CyclesOf(core, loads({{0, 0}})), DoubleNear(0.5, 1e-9));
  EXPECT_THAT(CyclesOf(core, loads({{0, 0}, {64, 0}, {128, 0}})), DoubleNear(1.5, 1e-9));
  EXPECT_THAT(CyclesOf(core, loads({{0, 0}, {64, 0}, {-48, 0}})), DoubleNear(1, 1e-9));
  EXPECT_THAT(CyclesOf(core, loads({{72, 0, 4}, {76, 0, 4}})), DoubleNear(2.0 / 3, 0.01));
  EXPECT_THAT(CyclesOf(core, loads({{72, 0, 8}, {76, 0, 8}})), DoubleNear(1, 1e-9));
  EXPECT_THAT(CyclesOf(core, loads({{0, 0, 2}, {2, 0, 2}})), DoubleNear(1, 1e-9));
  EXPECT_THAT(CyclesOf(core, loads({{0, 0, 16}, {8, 0, 8}})), DoubleNear(1, 1e-9));
  EXPECT_THAT(CyclesOf(core, loads({{0, 0, 16}, {16, 0, 16}})), DoubleNear(2.0 / 3, 0.01));
  // Through an array, each is of another bank than the one before it.
  EXPECT_THAT(CyclesOf(core, loads({{0, 8}})), DoubleNear(1.0 / 3, 0.01));
  core.loads_of_a_bank = 0;
  EXPECT_THAT(CyclesOf(core, loads({{0, 0}})), DoubleNear(1.0 / 3, 0.01));
}

TEST(Pipeline, AWindowEndsTheOverlapOfLongLatencies) {
  // 100 cycles each, independent, and as many at once as the reorder buffer holds.
  Made made;
  made.Add(0b1, {}, 100);
  PipelineCore core = Core(4, 4);
  core.sizes[static_cast<std::size_t>(Window::kReorderBuffer)] = 10;
  EXPECT_THAT(CyclesOf(core, made), DoubleNear(10, 0.3));
}

TEST(Pipeline, TheTimelineSaysWhatEachWaitedFor) {
  const Made made = Made().Add(0b1, {{0, 1, 3}}, 3).Add(0b1, {{0, 0, 3}});
  const PipelineResult result = RunPipeline(Core(4, 2), made.program, {.timeline_instructions = 4});
  ASSERT_EQ(result.timeline.size(), 4u);
  const InstructionTimes& second = result.timeline[1];
  EXPECT_EQ(second.cause, WaitCause::kOperand);
  EXPECT_EQ(second.producer, 0);
  EXPECT_EQ(second.ready, result.timeline[0].issued + 3);
  EXPECT_LE(second.dispatched, second.ready);
  EXPECT_LE(second.issued, second.done);
  EXPECT_LE(second.done, second.retired);
}

// The simulator of the tests knows nothing of this one: both must say the same of a core that both
// can describe.
TEST(Pipeline, AgreesWithTheSimulatedCoreOfTheTests) {
  struct Case {
    int chain = 0;    // instructions of the loop's chain
    int latency = 1;  // of each
    int others = 0;   // that are independent
  };
  for (const Case& each : {Case{1, 1, 11}, Case{2, 3, 10}, Case{4, 4, 30}, Case{1, 5, 40}}) {
    simulator::CoreModel simulated;
    simulated.dispatch_width = 6;
    simulated.ports = 5;
    simulated.SizeOf(simulator::Resource::kReorderBuffer) = 224;
    simulated.SizeOf(simulator::Resource::kScheduler) = 97;
    // Its own steady state is a trip's: so a trip is many iterations.
    constexpr int kIterations = 40;
    const int length = each.chain + each.others;
    std::vector<simulator::Instruction> trip;
    Made made;
    for (int i = 0; i < kIterations * length; ++i) {
      simulator::Instruction instruction;
      const int place = i % length;
      if (place < each.chain) {
        instruction.latency_cycles = each.latency;
        if (place > 0) instruction.operands = {1};
        // The last link of the iteration before; for the first iteration, of the trip before.
        const int back = length - (each.chain - 1);
        if (place == 0 && i > 0) instruction.operands = {back};
        if (i == 0) instruction.carried_from = {kIterations * length - back};
      }
      trip.push_back(instruction);
      if (i >= length) continue;
      std::vector<UopInput> inputs;
      const auto latency = static_cast<double>(each.latency);
      if (place < each.chain && place > 0) inputs = {{static_cast<std::size_t>(i - 1), 0, latency}};
      if (place == 0) inputs = {{static_cast<std::size_t>(each.chain - 1), 1, latency}};
      made.Add(0b11111, inputs, place < each.chain ? latency : 1);
    }
    PipelineCore core = Core(6, 5);
    core.sizes[static_cast<std::size_t>(Window::kReorderBuffer)] = 224;
    core.sizes[static_cast<std::size_t>(Window::kScheduler)] = 97;
    const double expected = simulator::CyclesPerTrip(simulated, trip) / kIterations;
    EXPECT_NEAR(CyclesOf(core, made), expected, 0.02 * expected)
        << each.chain << " × " << each.latency << " + " << each.others;
  }
}

}  // namespace
}  // namespace cyclescope::predict
