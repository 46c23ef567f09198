#include "predict/core_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "predict/testing/simulated_machine.h"

namespace cyclescope::predict {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::SimulatedMachine;
using testing::SmallCore;

constexpr OperandRole kFirst = {RoleKind::kRegister, 0};
constexpr OperandRole kSecond = {RoleKind::kRegister, 1};

TEST(CoreModel, AFormIsFoundWhateverItsRegisters) {
  SimulatedMachine machine = SmallCore();
  CoreModel model = machine.Model();
  const FormModel* form = model.FormOf(machine.Parse("mul x7, x9, x9").front());
  ASSERT_NE(form, nullptr);
  EXPECT_EQ(form->text, "mul x0, x1, x2");
  EXPECT_EQ(form->CyclesBetween(kSecond, kFirst), 3);
  EXPECT_EQ(form->CyclesBetween(kFirst, kFirst), std::nullopt);
  ASSERT_EQ(form->uops.size(), 1u);
  EXPECT_EQ(form->uops.front().ports, 0b100u);
  EXPECT_EQ(model.FormOf(machine.Parse("sdiv x0, x1, x2").front()), nullptr);
}

TEST(CoreModel, IdiomsHaveFormsOfTheirOwn) {
  SimulatedMachine machine(assembler::Architecture::kX86_64);
  machine.Add("sbb eax, ecx", 1).Add("sbb eax, eax", 2);
  CoreModel model = machine.Model();
  EXPECT_EQ(model.FormOf(machine.Parse("sbb edx, ebx").front())->text, "sbb eax, ecx");
  EXPECT_EQ(model.FormOf(machine.Parse("sbb edx, edx").front())->text, "sbb eax, eax");
}

TEST(CoreModel, AnotherEncodingOfTheSameStandsForIt) {
  SimulatedMachine machine(assembler::Architecture::kX86_64);
  machine.Add("add rax, 5", 1);
  CoreModel model = machine.Model();
  ASSERT_NE(model.FormOf(machine.Parse("add rcx, 5000").front()), nullptr);
  EXPECT_EQ(model.FormOf(machine.Parse("add ecx, 5000").front()), nullptr);
}

// As on a Golden Cove: numbers from 1,024 on are not added at rename.
TEST(CoreModel, AMeasuredNumberStandsForLargerOnesUpToTheNext) {
  SimulatedMachine machine(assembler::Architecture::kX86_64);
  machine.Add("add rbx, 1024", 1).Add("add rbx, 300", 0.4).Add("add rbx, 5", 0.2);
  CoreModel model = machine.Model();
  const auto cycles_of = [&](std::string_view text) {
    return model.FormOf(machine.Parse(text).front())->CyclesBetween(kFirst, kFirst);
  };
  EXPECT_EQ(cycles_of("add rcx, 1023"), 0);
  EXPECT_EQ(cycles_of("add rcx, 1024"), 1);
  EXPECT_EQ(cycles_of("add rcx, 50000"), 1);
  EXPECT_EQ(cycles_of("add rcx, -1024"), 0);
  EXPECT_EQ(cycles_of("add rcx, 130"), 0) << "less than any that was measured";
}

TEST(CoreModel, WhatIsDoneAtRenameTakesNoTimeAndBoundsAreNotBelieved) {
  SimulatedMachine machine = SmallCore();
  machine.Add("csel x0, x1, x2, eq", 3);
  for (Latency& pair : machine.last().latency) {
    pair.kind = LatencyKind::kUpperBound;
    pair.model = 1;
  }
  CoreModel model = machine.Model();
  EXPECT_EQ(model.FormOf(machine.Parse("mov x5, x6").front())->CyclesBetween(kSecond, kFirst), 0);
  EXPECT_EQ(
      model.FormOf(machine.Parse("csel x5, x6, x7, ne").front())->CyclesBetween(kSecond, kFirst),
      1);
}

// Two slots a cycle fill two ports: additions and what needs no port take the same time.
TEST(CoreModel, PortsThatNoMixShowsAreLlvms) {
  SimulatedMachine machine(assembler::Architecture::kX86_64, {"i0", "i1", "l0", "s0"}, 2);
  machine.Add("add rax, rcx", 1);
  machine.last().port_finding->model = {{.uops = 1, .ports = {"i0", "i1"}}};
  machine.Add("mov rax, rcx", 0.1);
  machine.last().port_finding->model = {{.uops = 1, .ports = {"i0", "i1"}}};
  machine.Add("pop rax", 5, {{"l0"}});
  machine.last().port_finding->model = {{.uops = 1, .ports = {"i0", "i1"}},
                                        {.uops = 1, .ports = {"l0"}}};
  CoreModel model = machine.Model();
  const auto uops_of = [&](std::string_view text) {
    return model.FormOf(machine.Parse(text).front())->uops.size();
  };
  EXPECT_EQ(uops_of("add rbx, rdx"), 1u);
  EXPECT_EQ(uops_of("mov rbx, rdx"), 0u) << "it is done at rename";
  EXPECT_EQ(uops_of("pop rbx"), 1u) << "the stack pointer is counted at rename";
}

TEST(CoreModel, WhatComputesNothingIsOneFormWhateverItsAddress) {
  SimulatedMachine machine(assembler::Architecture::kX86_64);
  machine.Add("nop dword ptr [rax]", 1).Add("lea rax, [rbx]", 1, {{"i0"}});
  CoreModel model = machine.Model();
  EXPECT_NE(model.FormOf(machine.Parse("nop dword ptr [rax + rax]").front()), nullptr);
  EXPECT_EQ(model.FormOf(machine.Parse("lea rax, [rbx + rcx]").front()), nullptr);
}

TEST(CoreModel, WindowsComeFromAnatomyAndUsualOnesAreNamed) {
  SimulatedMachine machine = SmallCore();
  const CoreModel model = machine.Model();
  EXPECT_EQ(model.SizeOf(Window::kReorderBuffer), 128);
  EXPECT_EQ(model.SizeOf(Window::kLoads), 0);
  EXPECT_THAT(model.assumed(), Contains("loads"));
  EXPECT_THAT(model.assumed(), Not(Contains("reorder buffer")));
  EXPECT_EQ(model.load_ports(), 0b011000u);
  EXPECT_EQ(model.store_ports(), 0b100000u);
  EXPECT_DOUBLE_EQ(model.memory().LoadCycles(/*to_vector=*/false), 4);
}

TEST(CoreModel, ADocumentWithoutACoreIsRefused) {
  SimulatedMachine empty(assembler::Architecture::kAArch64);
  const auto none = CoreModel::From(empty.document(), empty.assembler());
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error().message, HasSubstr("no instructions"));
  SimulatedMachine machine = SmallCore();
  machine.document().port_map.reset();
  const auto no_width = CoreModel::From(machine.document(), machine.assembler());
  ASSERT_FALSE(no_width.has_value());
  EXPECT_THAT(no_width.error().message, HasSubstr("dispatches"));
}

TEST(CoreModel, ASharedCoreDoesNotShowTheSizeOfAWindow) {
  SimulatedMachine machine = SmallCore();
  machine.document().anatomy->rows.front().contended = true;
  EXPECT_THAT(machine.Model().assumed(), Contains("reorder buffer"));
}

TEST(CoreModel, NopsThatShareEntriesAreNoSizeOfAWindow) {
  SimulatedMachine machine = SmallCore();
  AnatomyRow nops = machine.document().anatomy->rows.front();
  nops.filler = "nop";
  nops.value = AnatomyValue{256, 254, 258};
  machine.document().anatomy->rows.push_back(nops);
  EXPECT_EQ(machine.Model().SizeOf(Window::kReorderBuffer), 256);
  machine.document().anatomy->rows.back().claim =
      Claim{ClaimCode::kNopsShareEntries, {{"others", 128.0}}};
  EXPECT_EQ(machine.Model().SizeOf(Window::kReorderBuffer), 128);
}

TEST(CoreModel, AThroughputOfASharedCoreKeepsNothingBusy) {
  SimulatedMachine machine = SmallCore();
  machine.Add("sdiv x0, x1, x2", 12);
  machine.last().port_finding.reset();
  machine.last().throughput->cycles.value = 12;
  const auto own_cycles = [&] {
    CoreModel model = machine.Model();
    return model.FormOf(machine.Parse("sdiv x0, x1, x2").front())->own_cycles;
  };
  EXPECT_DOUBLE_EQ(own_cycles(), 12);
  machine.last().throughput->cycles.contended = true;
  EXPECT_DOUBLE_EQ(own_cycles(), 0);
}

// A file may say anything: such numbers would make a simulation endless, or larger than memory.
TEST(CoreModel, NumbersOfNoCoreAreRefused) {
  const auto is_refused = [](auto change) {
    SimulatedMachine machine = SmallCore();
    change(machine);
    return !CoreModel::From(machine.document(), machine.assembler()).has_value();
  };
  EXPECT_FALSE(is_refused([](SimulatedMachine&) {}));
  EXPECT_TRUE(is_refused([](SimulatedMachine& made) { made.last().slots = 1e9; }));
  EXPECT_TRUE(is_refused([](SimulatedMachine& made) { made.last().slots = -5; }));
  EXPECT_TRUE(is_refused([](SimulatedMachine& made) { made.last().ports.front().uops = 2e9; }));
  EXPECT_TRUE(
      is_refused([](SimulatedMachine& made) { made.last().latency.front().cycles.value = 1e300; }));
  EXPECT_TRUE(is_refused([](SimulatedMachine& made) {
    made.last().latency.front().cycles.value = std::numeric_limits<double>::quiet_NaN();
  }));
  EXPECT_TRUE(
      is_refused([](SimulatedMachine& made) { made.document().port_map->dispatch = 0.0004; }));
  EXPECT_TRUE(
      is_refused([](SimulatedMachine& made) { made.document().port_map->ports.resize(40); }));
  SimulatedMachine large = SmallCore();
  large.document().anatomy->rows.front().value->value = 2e9;
  EXPECT_EQ(large.Model().SizeOf(Window::kReorderBuffer), 256) << "the usual size";
}

}  // namespace
}  // namespace cyclescope::predict
