#include "predict/predict_block.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "predict/testing/simulated_machine.h"

namespace cyclescope::predict {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SimulatedMachine;
using testing::SmallCore;

BlockPrediction Predict(SimulatedMachine& machine, std::string_view text, int timeline = 0) {
  CoreModel model = machine.Model();
  const auto instructions = machine.Parse(text);
  return PredictBlock(model, {.instructions = instructions}, {.timeline_iterations = timeline});
}

TEST(PredictBlock, NamesTheLargestBound) {
  SimulatedMachine machine = SmallCore();
  const BlockPrediction chain = Predict(machine, "mul x0, x0, x1; add x0, x0, x2");
  EXPECT_EQ(chain.binds, "chain");
  ASSERT_TRUE(chain.cycles);
  EXPECT_DOUBLE_EQ(*chain.cycles, 4);
  EXPECT_THAT(chain.verdict, HasSubstr("the chain x0 → x0: mul 3 + add 1 binds"));
  EXPECT_TRUE(chain.settled);
  const BlockPrediction ports = Predict(machine, "mul x0, x1, x2; mul x3, x1, x2; add x5, x6, x7");
  EXPECT_EQ(ports.binds, "ports");
  EXPECT_DOUBLE_EQ(*ports.cycles, 2);
  EXPECT_THAT(ports.binding_ports, ElementsAre("i2"));
  const BlockPrediction dispatch =
      Predict(machine, "mov x0, x9; mov x1, x9; mov x2, x9; mov x3, x9; mov x4, x9; mov x5, x9");
  EXPECT_EQ(dispatch.binds, "dispatch");
  EXPECT_DOUBLE_EQ(*dispatch.cycles, 1.5);
}

TEST(PredictBlock, EachTakenBranchTakesItsTime) {
  SimulatedMachine machine = SmallCore();
  machine.Add("b #4", 0.5, {{"i0", "i1"}});
  const BlockPrediction jumps = Predict(machine, "b #4; add x5, x6, x7; b #4; add x3, x4, x5");
  EXPECT_EQ(jumps.binds, "branches");
  ASSERT_TRUE(jumps.cycles);
  EXPECT_DOUBLE_EQ(*jumps.cycles, 2);
  EXPECT_THAT(jumps.verdict, HasSubstr("taken branches bind: 2 in an iteration"));
  const BlockPrediction falls = Predict(machine, "add x5, x6, x7; add x3, x4, x5");
  EXPECT_EQ(falls.bounds.branches, 0);
}

// Twenty slots take five cycles of dispatch, which pass while the result is waited for.
TEST(PredictBlock, SlotsThatAreOwedArePaidWhileNothingElseHappens) {
  SimulatedMachine machine = SmallCore();
  machine.Add("udiv x0, x1, x2", 40, {{"i0"}});
  machine.last().slots = 20;
  const BlockPrediction prediction = Predict(machine, "udiv x0, x0, x2");
  ASSERT_TRUE(prediction.cycles);
  EXPECT_NEAR(*prediction.cycles, 40, 1);
  EXPECT_EQ(prediction.binds, "chain");
}

TEST(PredictBlock, TheCountOfPushesTakesASlotAndAPortOnlyWhereSumsDo) {
  const auto predict = [](double cycles, std::vector<std::vector<std::string>> ports) {
    SimulatedMachine machine(assembler::Architecture::kX86_64);
    machine.Add("push rax", 5, {{"s0"}})
        .ClassOf({"l0", "l1"}, "mov rax, qword ptr [rbx]")
        .ClassOf({"s0"}, "mov qword ptr [rbx], rax")
        .Add("mov rax, rbx", 0.25)
        .Add("add rax, 5", cycles, std::move(ports));
    return Predict(machine, "push rcx; mov rdx, rsp");
  };
  const auto on_first = [](const BlockPrediction& prediction) {
    return prediction.pressure.front().cycles;
  };
  const BlockPrediction on_a_port = predict(1, {{"i0"}});
  EXPECT_DOUBLE_EQ(4 * on_a_port.bounds.dispatch, 3);
  EXPECT_DOUBLE_EQ(on_first(on_a_port), 1);
  const BlockPrediction at_rename = predict(0.25, {});
  EXPECT_DOUBLE_EQ(4 * at_rename.bounds.dispatch, 3);
  EXPECT_DOUBLE_EQ(on_first(at_rename), 0);
}

TEST(PredictBlock, OfWhatIsStoredAndReadAgainNoPortIsBlamed) {
  SimulatedMachine machine = SmallCore();
  CoreModel model = machine.Model();
  const auto instructions = machine.Parse("ldr x0, [x1]; add x0, x0, x2; str x0, [x1]");
  const MemoryLink link = {.store = 2, .load = 0, .iterations = 1};
  const BlockPrediction prediction =
      PredictBlock(model, {.instructions = instructions, .memory = {&link, 1}});
  ASSERT_TRUE(prediction.cycles);
  EXPECT_NE(prediction.binds, "schedule");
}

TEST(PredictBlock, WaitingForPortsOnAChainIsSeen) {
  SimulatedMachine machine = SmallCore();
  // As on a Neoverse V1, where it takes 1.29 with a chain of 1 and ports of 0.75.
  const BlockPrediction prediction =
      Predict(machine, "sub x2, x4, x3; sub x2, x2, #256; add x3, x3, #128; mul x5, x6, x7");
  ASSERT_TRUE(prediction.cycles);
  EXPECT_GT(*prediction.cycles, 1.34);
  EXPECT_DOUBLE_EQ(prediction.bounds.chain, 1);
}

TEST(PredictBlock, WhatIsNotKnownIsNamedAndAbstainedFromWhereItMatters) {
  SimulatedMachine machine = SmallCore();
  const BlockPrediction matters = Predict(machine, "sdiv x0, x0, x1");
  EXPECT_FALSE(matters.cycles);
  EXPECT_THAT(matters.unknown, ElementsAre("sdiv x0, x0, x1"));
  EXPECT_THAT(matters.reason, HasSubstr("may matter"));
  // Beside a chain of 12 cycles it makes no difference.
  const BlockPrediction hidden = Predict(
      machine, "mul x0, x0, x1; mul x0, x0, x1; mul x0, x0, x1; mul x0, x0, x1; rbit x5, x6");
  ASSERT_TRUE(hidden.cycles);
  EXPECT_DOUBLE_EQ(*hidden.cycles, 12);
  EXPECT_THAT(hidden.unknown, ElementsAre("rbit x5, x6"));
}

// The same model gives the same digits on every architecture; this runs on several.
TEST(PredictBlock, DigitsAreTheSameEverywhere) {
  SimulatedMachine machine = SmallCore();
  machine.Add("fadd d0, d1, d2", 3.5, {{"i0", "i1"}});
  machine.document().port_map->dispatch = 3.7;
  CoreModel model = machine.Model();
  const auto digits = [&](std::string_view text) {
    const auto instructions = machine.Parse(text);
    return fmt::format("{:a}", *PredictBlock(model, {.instructions = instructions}).cycles);
  };
  EXPECT_EQ(digits("fadd d0, d0, d1; fadd d2, d2, d1; add x0, x0, #5"), "0x1.cp+1");
  EXPECT_EQ(digits("sub x2, x4, x3; sub x2, x2, #256; add x3, x3, #128; mul x5, x6, x7"),
            "0x1.9f55026dc89f5p+0");
  EXPECT_EQ(digits("ldr x0, [x9]; ldr x1, [x9, #8]; add x2, x0, x1; str x2, [x10]; add x3, x3, #5; "
                   "mov x4, x3; mul x5, x4, x2"),
            "0x1.e45306eb3e453p+0");
}

// A push is counted at rename; what reads the stack pointer then waits for an addition.
TEST(PredictBlock, TheStackPointerIsSummedWhereItIsAskedFor) {
  SimulatedMachine machine(assembler::Architecture::kX86_64);
  machine.Add("push rax", 5, {{"s0"}});
  machine.last().latency.clear();
  machine.Add("pop rax", 5, {{"l0", "l1"}});
  machine.last().latency.clear();
  machine.Add("add rax, 5", 1, {{"i0", "i1", "i2"}})
      .Add("lea rax, [rbx + 8]", 1, {{"i0", "i1", "i2"}})
      .ClassOf({"l0", "l1"}, "mov rax, qword ptr [rbx]")
      .ClassOf({"s0"}, "mov qword ptr [rbx], rax");
  EXPECT_DOUBLE_EQ(*Predict(machine, "push rbx; add rsp, 8").cycles, 2);
  EXPECT_DOUBLE_EQ(*Predict(machine, "push rbx; lea rsp, [rcx + 8]").cycles, 1);
  EXPECT_DOUBLE_EQ(Predict(machine, "add rsp, 8; push rbx; pop rdx").bounds.chain, 1)
      << "they moved it back";
}

TEST(PredictBlock, AFullWindowIsNamed) {
  SimulatedMachine machine = SmallCore();
  machine.Window("loads", 4);
  const BlockPrediction prediction =
      Predict(machine, "ldr x0, [x9]; ldr x1, [x9, #8]; ldr x2, [x9, #16]; ldr x3, [x9, #24]");
  ASSERT_TRUE(prediction.cycles);
  EXPECT_GT(*prediction.cycles, 2.1);
  EXPECT_EQ(prediction.binds, "windows");
  EXPECT_THAT(prediction.verdict, HasSubstr("all entries for loads are in use"));
}

TEST(PredictBlock, TheTimelineHasTheFirstIterations) {
  SimulatedMachine machine = SmallCore();
  const BlockPrediction prediction = Predict(machine, "mul x0, x0, x1; add x2, x0, x3", 2);
  ASSERT_EQ(prediction.timeline.size(), 4u);
  EXPECT_EQ(prediction.timeline[1].cause, WaitCause::kOperand);
  EXPECT_EQ(prediction.timeline[1].producer, "mul x0, x0, x1");
  EXPECT_EQ(prediction.timeline[3].iteration, 1);
  EXPECT_THAT(Predict(machine, "mul x0, x0, x1").timeline, IsEmpty());
}

}  // namespace
}  // namespace cyclescope::predict
